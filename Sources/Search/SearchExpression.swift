internal import EventModel

/// A query in the syntax of web searches, read: `word`, `"a phrase"`, `or`, `-without`.
///
/// Words are beginnings: `regis` finds `registry`. A word of one or two letters is found as it is. A word with
/// punctuation inside (`src/main.swift`) is a phrase of its parts.
package struct SearchExpression: Sendable, Equatable {
    package enum Fault: Error, Equatable {
        /// The query, or one of its alternatives, only says what must not be found. Such a query would read every text.
        case noPositiveWord
        case tooManyWords
    }

    /// Maximum number of words of a query, with those of its phrases.
    package static let maximumWords = 64
    /// A beginning is at least this long; shorter ones would match too many different words.
    private static let minimumPrefix = 3

    /// As PostgreSQL reads a `tsquery`.
    package let tsquery: String
    /// The positive words and phrases, in lower case, as the query has them.
    package let shown: [String]

    package init(_ text: String) throws(Fault) {
        var alternatives: [String] = []
        var shown: [String] = []
        var words = 0
        for terms in SearchExpression.terms(of: text).split(whereSeparator: \.isOr) {
            let read = terms.map { (term: $0, query: $0.query(counting: &words)) }.filter { $0.query != nil }
            guard !read.isEmpty else { continue }
            guard read.contains(where: { !$0.term.isNegated }) else { throw .noPositiveWord }
            alternatives.append("(" + read.compactMap(\.query).joined(separator: " & ") + ")")
            shown += read.filter { !$0.term.isNegated }.map { $0.term.text.lowercased() }
        }
        guard !alternatives.isEmpty else { throw .noPositiveWord }
        guard words <= SearchExpression.maximumWords else { throw .tooManyWords }
        tsquery = alternatives.joined(separator: " | ")
        self.shown = shown
    }

    private struct Term {
        var text: String
        var isQuoted = false
        var isNegated = false

        var isOr: Bool { !isQuoted && !isNegated && text.lowercased() == "or" }

        /// `nil` if the term has no letter or digit.
        func query(counting words: inout Int) -> String? {
            var parts: [(text: String, position: Int)] = []
            for (lexeme, position, kind) in SearchLexemes.list(of: text) {
                let word = "'\(lexeme)'"
                switch kind {
                case .word: parts.append((word, position))
                case .pair: parts.append((word, position))
                case .single: parts.append((word + ":*", position))
                case .part, .last: break
                }
            }
            guard var last = parts.popLast() else { return nil }
            words += parts.count + 1
            // The quotes count as two bytes.
            let isPrefix = !isQuoted && !isNegated && !last.text.hasSuffix("*")
            if isPrefix, last.text.utf8.count - 2 >= minimumPrefix { last.text += ":*" }
            parts.append(last)
            var query = parts[0].text
            for (one, next) in zip(parts, parts.dropFirst()) {
                query += " <\(next.position - one.position)> \(next.text)"
            }
            return isNegated ? "!(\(query))" : "(\(query))"
        }
    }

    private static func terms(of text: String) -> [Term] {
        var terms: [Term] = []
        var rest = Substring(text)
        while let start = rest.firstIndex(where: { !$0.isWhitespace }) {
            rest = rest[start...]
            var term = Term(text: "")
            if rest.first == "-" {
                term.isNegated = true
                rest = rest.dropFirst()
            }
            if rest.first == "\"" {
                term.isQuoted = true
                rest = rest.dropFirst()
                let end = rest.firstIndex(of: "\"") ?? rest.endIndex
                term.text = String(rest[..<end])
                rest = rest[end...].dropFirst()
            } else {
                let end = rest.firstIndex { $0.isWhitespace || $0 == "\"" } ?? rest.endIndex
                term.text = String(rest[..<end])
                rest = rest[end...]
            }
            terms.append(term)
        }
        return terms
    }
}
