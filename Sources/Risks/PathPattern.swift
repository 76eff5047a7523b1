/// A shell pattern that may match a file of a row. `hooks/lib/words.awk` does the same.
struct PathPattern {
    private static let maximumPart = 256

    /// How a component of the path can match a component of a row.
    private enum Meeting: Int, Comparable {
        case never
        /// Only by the wildcards of the path.
        case byWildcards
        /// Also by some of its letters.
        case byLetters

        static func < (a: Meeting, b: Meeting) -> Bool { a.rawValue < b.rawValue }
    }

    private let parts: [[UInt8]]
    /// Whether a wildcard matches a dot at the beginning of a component.
    private let matchesDot: Bool

    /// The path must be absolute, normalized, in lower case and marked.
    init(_ path: [UInt8], matchesDot: Bool = false) {
        self.matchesDot = matchesDot
        parts = path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Array.init)
    }

    func canMatch(_ row: RiskPattern) -> Bool {
        let last = row.isFloating ? parts.count - 1 : 0
        guard last >= 0 else { return false }
        for start in 0...last {
            let end = start + row.pathParts.count
            if end > parts.count { return false }
            if end < parts.count, row.pathParts.last?.last != UInt8(ascii: "*") { continue }
            let meetings = zip(parts[start..<end], row.pathParts).lazy.map { meeting($0, $1) }
            var best = Meeting.byWildcards
            var isMet = true
            for meeting in meetings {
                isMet = meeting != .never
                if !isMet { break }
                best = max(best, meeting)
            }
            if isMet, best == .byLetters { return true }
        }
        return false
    }

    /// Whether the last component can be the name by at least one of its letters.
    func endsInLetters(of name: [UInt8]) -> Bool { parts.last.map { meeting($0, name) == .byLetters } ?? false }

    /// Whether the path can be the directory of a row. A `*` of the row stands for letters of one component.
    func canBe(_ row: RiskPattern) -> Bool {
        let extra = parts.count - row.pathParts.count
        guard row.isFloating ? extra >= 0 : extra == 0 && parts.first?.first != ShellMark.unknown else { return false }
        var best = Meeting.byWildcards
        for (part, name) in zip(parts[extra...], row.pathParts) {
            if part.count > PathPattern.maximumPart, !ShellMark.isPattern(part) { return false }
            let meeting = meeting(part, name)
            if meeting == .never { return false }
            best = max(best, meeting)
        }
        return best == .byLetters
    }

    private func meeting(_ word: [UInt8], _ row: [UInt8]) -> Meeting {
        if word.count > PathPattern.maximumPart { return .byLetters }
        guard let first = row.first, let last = row.last else { return word.isEmpty ? .byWildcards : .never }
        // In a shell, a leading wildcard does not match a dot. In other programs it does, but a pattern such as *.c is
        // not aimed at .env.c.
        let star = UInt8(ascii: "*")
        let isMeant = matchesDot && (word.first != star || last != star)
        if first == UInt8(ascii: "."), !isMeant, word.first?.isOne(of: .wildcards) == true { return .never }
        if !PathPattern.mayBegin(word, with: first) || !PathPattern.mayEnd(word, with: last) { return .never }
        var states = [Meeting](repeating: .never, count: row.count + 1)
        states[0] = .byWildcards
        PathPattern.passStars(&states, row)
        var index = 0
        while index < word.count {
            let letter = Letter(word, &index)
            guard letter.isOne else {
                for place in row.indices { states[place + 1] = max(states[place + 1], states[place]) }
                continue
            }
            for place in states.indices.reversed() {
                var found = place < row.count && row[place] == UInt8(ascii: "*") ? states[place] : .never
                if place > 0, row[place - 1] != UInt8(ascii: "*"), states[place - 1] != .never {
                    found = max(found, letter.met(row[place - 1], after: states[place - 1]))
                }
                states[place] = found
            }
            PathPattern.passStars(&states, row)
        }
        return states[row.count]
    }

    private static func passStars(_ states: inout [Meeting], _ row: [UInt8]) {
        for place in row.indices where row[place] == UInt8(ascii: "*") {
            states[place + 1] = max(states[place + 1], states[place])
        }
    }

    private static func mayBegin(_ word: [UInt8], with letter: UInt8) -> Bool {
        guard letter != UInt8(ascii: "*"), let first = word.first else { return letter == UInt8(ascii: "*") }
        if first == ShellMark.quote { return word.count > 1 && word[1] == letter }
        return first == letter || first.isOne(of: .wildcards) || first == ShellMark.unknown
    }

    private static func mayEnd(_ word: [UInt8], with letter: UInt8) -> Bool {
        guard letter != UInt8(ascii: "*"), let last = word.last else { return letter == UInt8(ascii: "*") }
        if last == letter { return true }
        let isQuoted = word.count > 1 && word[word.count - 2] == ShellMark.quote
        return !isQuoted && (last.isOne(of: .lastWildcards) || last == ShellMark.unknown)
    }

    /// One letter of a pattern, or an element that matches letters.
    private enum Letter {
        case any(count: Int?)
        case one(UInt8)
        case of(ArraySlice<UInt8>)

        init(_ word: [UInt8], _ index: inout Int) {
            let character = word[index]
            index += 1
            switch character {
            case UInt8(ascii: "*"), ShellMark.unknown: self = .any(count: nil)
            case UInt8(ascii: "?"): self = .any(count: 1)
            case ShellMark.quote where index < word.count:
                self = .one(word[index])
                index += 1
            case UInt8(ascii: "["):
                guard let end = Letter.classEnd(word, index) else {
                    self = .one(character)
                    return
                }
                self = .of(word[index..<end])
                index = end + 1
            default: self = .one(character)
            }
        }

        var isOne: Bool { if case .any(count: nil) = self { false } else { true } }

        /// Returns the next state after `state` when this is compared with a letter of the row.
        func met(_ letter: UInt8, after state: Meeting) -> Meeting {
            switch self {
            case .any: return state
            case .one(let own): return own == letter ? .byLetters : .never
            case .of(let letters):
                let isOpen =
                    letters.first?.isOne(of: .negations) == true || letters.contains { $0.isOne(of: .openClass) }
                if isOpen { return state }
                return letters.contains(letter) ? .byLetters : .never
            }
        }

        /// Returns the end of the class of letters whose `[` is before the index.
        private static func classEnd(_ word: [UInt8], _ start: Int) -> Int? {
            func byte(_ index: Int) -> UInt8? { index < word.count ? word[index] : nil }
            var index = start
            if byte(index)?.isOne(of: .negations) == true { index += 1 }
            if byte(index) == UInt8(ascii: "]") { index += 1 }
            while let character = byte(index) {
                if character == UInt8(ascii: "]") { return index }
                if character == ShellMark.quote { index += 1 }
                if character == UInt8(ascii: "["), let kind = byte(index + 1), kind.isOne(of: .classKinds),
                    let end = word[(index + 2)...].firstRange(of: [kind, UInt8(ascii: "]")])
                {
                    index = end.lowerBound + 1
                }
                index += 1
            }
            return nil
        }
    }
}
