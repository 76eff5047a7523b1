/// A search for files by their names.
package struct NameSearch: Sendable {
    package enum Mode: String, Sendable, CaseIterable {
        case fuzzy, exact, prefix, `extension`
    }

    package struct Hit: Sendable, Equatable {
        package let path: [UInt8]
        /// From 0 to 1.
        package let score: Double
    }

    private let query: [UInt8]
    private let mode: Mode
    private let letters: UInt64
    private let extensions: [[UInt8]]
    /// Among files that fit equally well, no more than these are compared by their paths.
    private static let mostEqual = 20_000

    /// Letters of ASCII may be in either case.
    ///
    /// - Parameter extensions: of the files that count; all if empty.
    package init(_ query: [UInt8], mode: Mode, extensions: [[UInt8]] = []) {
        self.extensions = extensions.map { $0.drop { $0 == UInt8(ascii: ".") }.map(\.folded) }
        self.query = query.map(\.folded)
        self.mode = mode
        letters = NameIndex.letters(of: self.query)
    }

    /// The hits, best first, and the number of all.
    package func run(in index: NameIndex, offset: Int, limit: Int) -> (hits: [Hit], total: Int) {
        var scores = [UInt16](repeating: 0, count: index.count)
        var counts = [Int](repeating: 0, count: 1001)
        for number in 0..<index.count where index.letters[number] & letters == letters {
            let score = score(of: number, in: index)
            scores[number] = UInt16(score)
            counts[score] += 1
        }
        counts[0] = 0
        let wanted = offset + limit
        var least = 1000
        var better = counts[least]
        while least > 1, better < wanted {
            least -= 1
            better += counts[least]
        }
        var room = NameSearch.mostEqual
        var found: [(score: UInt16, path: [UInt8])] = []
        for number in scores.indices where Int(scores[number]) >= least {
            if Int(scores[number]) == least {
                guard room > 0 else { continue }
                room -= 1
            }
            found.append((scores[number], index.path(of: number)))
        }
        found.sort { one, other in
            if one.score != other.score { return one.score > other.score }
            if one.path.count != other.path.count { return one.path.count < other.path.count }
            return one.path.lexicographicallyPrecedes(other.path)
        }
        let hits = found.dropFirst(offset).prefix(limit).map { Hit(path: $0.path, score: Double($0.score) / 1000) }
        return (Array(hits), counts.reduce(0, +))
    }

    /// From 0, for a file that is not found, to 1000.
    private func score(of number: Int, in index: NameIndex) -> Int {
        let range = index.range(of: number)
        let name = index.folded.span.extracting(range)
        guard extensions.isEmpty || extensions.contains(where: { NameSearch.ends(name, with: $0) }) else { return 0 }
        switch mode {
        case .exact: return name.count == query.count && NameSearch.has(query.span, at: 0, of: name) ? 1000 : 0
        case .prefix: return NameSearch.has(query.span, at: 0, of: name) ? 1000 * query.count / max(1, name.count) : 0
        case .extension: return NameSearch.ends(name, with: query) ? 1000 : 0
        case .fuzzy: return fuzzy(name, number, index)
        }
    }

    private func fuzzy(_ name: Span<UInt8>, _ number: Int, _ index: NameIndex) -> Int {
        if let place = NameSearch.first(query.span, in: name) {
            let share = 90 * query.count / max(1, name.count)
            return (place == 0 ? name.count == query.count ? 910 : 850 : 750) + share
        }
        if let gaps = NameSearch.gaps(query.span, in: name) { return max(500, 700 - 10 * gaps) }
        let directory = index.directory(of: number)
        guard !directory.isEmpty else { return 0 }
        let path = directory.map(\.folded) + [UInt8(ascii: "/")] + index.folded[index.range(of: number)]
        if NameSearch.first(query.span, in: path.span) != nil { return 450 }
        guard let gaps = NameSearch.gaps(query.span, in: path.span) else { return 0 }
        return max(100, 400 - 10 * gaps)
    }

    /// Whether the name has the extension.
    private static func ends(_ name: Span<UInt8>, with extension: [UInt8]) -> Bool {
        let place = name.count - `extension`.count
        return place > 1 && name[place - 1] == UInt8(ascii: ".") && has(`extension`.span, at: place, of: name)
    }

    static func has(_ part: Span<UInt8>, at place: Int, of text: Span<UInt8>) -> Bool {
        guard place >= 0, place + part.count <= text.count else { return false }
        for index in 0..<part.count where text[place + index] != part[index] { return false }
        return true
    }

    static func first(_ part: Span<UInt8>, in text: Span<UInt8>) -> Int? {
        guard part.count > 0, part.count <= text.count else { return nil }
        for place in 0...(text.count - part.count) where text[place] == part[0] && has(part, at: place, of: text) {
            return place
        }
        return nil
    }

    /// The number of interruptions, if the text contains the letters in this order.
    static func gaps(_ letters: Span<UInt8>, in text: Span<UInt8>) -> Int? {
        var next = 0
        var gaps = 0
        var last = -1
        for place in 0..<text.count where next < letters.count && text[place] == letters[next] {
            if last >= 0, place != last + 1 { gaps += 1 }
            last = place
            next += 1
        }
        return next == letters.count ? gaps : nil
    }
}
