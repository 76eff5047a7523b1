/// A line of a machine's file: words `key=value`, separated by spaces. A value with spaces is in double quotes. #
/// begins a comment. The reader is the one of hooks/lib/approvals.awk.
struct RuleLine: Equatable, Sendable {
    struct Word: Equatable, Sendable {
        var key: String
        var value: [UInt8]
    }

    /// From 1.
    var number: Int
    var words: [Word]

    /// Reads all lines that are neither empty nor comments.
    ///
    /// - Parameter isValid: whether a key takes a value; `nil` if there is no such key.
    static func lines(
        of text: [UInt8],
        isValid: (_ key: String, _ value: [UInt8]) -> Bool?
    ) throws(FileFlaw) -> [RuleLine] {
        var lines: [RuleLine] = []
        var number = 0
        for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            var rest = line
            if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
            let plain = rest.map { $0 == UInt8(ascii: "\t") ? UInt8(ascii: " ") : $0 }
            let words = plain.drop { $0 == UInt8(ascii: " ") }
            guard let first = words.first, first != UInt8(ascii: "#") else { continue }
            do throws(FileFlaw) {
                lines.append(RuleLine(number: number, words: try read(words, isValid)))
            } catch {
                throw FileFlaw("line \(number): \(error.reason)")
            }
        }
        return lines
    }

    private static func read(
        _ line: ArraySlice<UInt8>,
        _ isValid: (String, [UInt8]) -> Bool?
    ) throws(FileFlaw) -> [Word] {
        var words: [Word] = []
        var rest = line
        while let first = rest.first, first != UInt8(ascii: "#") {
            let sign = rest.firstIndex(of: UInt8(ascii: "="))
            let key = String(decoding: rest[..<(sign ?? rest.endIndex)], as: UTF8.self)
            guard let sign else { throw .noKey(key) }
            rest = rest[(sign + 1)...]
            let value = try takeValue(&rest)
            switch isValid(key, value) {
            case nil: throw .noKey(key)
            case false?: throw FileFlaw("\(key)=\(shortened(String(decoding: value, as: UTF8.self))) is not valid")
            case true?: words.append(Word(key: key, value: value))
            }
            rest = rest.drop { $0 == UInt8(ascii: " ") }
        }
        return words
    }

    private static func takeValue(_ rest: inout ArraySlice<UInt8>) throws(FileFlaw) -> [UInt8] {
        guard rest.first == UInt8(ascii: "\"") else {
            let end = rest.firstIndex(of: UInt8(ascii: " ")) ?? rest.endIndex
            defer { rest = rest[end...] }
            return Array(rest[..<end])
        }
        let inner = rest.dropFirst()
        guard let end = inner.firstIndex(of: UInt8(ascii: "\"")),
            end + 1 == rest.endIndex || rest[end + 1] == UInt8(ascii: " ")
        else { throw FileFlaw("a quote does not end") }
        defer { rest = rest[(end + 1)...] }
        return Array(inner[..<end])
    }

    fileprivate static func shortened(_ text: String) -> String { String(text.prefix(40)) }
}

/// Why a machine's file is not valid. Then it allows nothing.
package struct FileFlaw: Error, Equatable, Sendable, CustomStringConvertible {
    package let reason: String

    init(_ reason: String) { self.reason = reason }

    static func noKey(_ key: String) -> FileFlaw { FileFlaw("\"\(RuleLine.shortened(key))\" is no key") }

    package var description: String { reason }
}
