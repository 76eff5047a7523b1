/// Patterns of the machine's files, in which * stands for any characters. Bytes are compared, as awk does in the C
/// locale.
enum TextPattern {
    static func matches(_ subject: [UInt8], _ pattern: [UInt8]) -> Bool {
        let parts = pattern.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map(Array.init)
        guard parts.count > 1, let first = parts.first, let last = parts.last else {
            return subject.elementsEqual(pattern)
        }
        guard subject.starts(with: first) else { return false }
        var rest = subject[first.count...]
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let end = endOfFirst(part, in: rest) else { return false }
            rest = rest[end...]
        }
        return rest.count >= last.count && rest.suffix(last.count).elementsEqual(last)
    }

    /// The index after the first occurrence.
    private static func endOfFirst(_ part: [UInt8], in text: ArraySlice<UInt8>) -> Int? {
        guard part.count <= text.count else { return nil }
        for start in text.startIndex...(text.endIndex - part.count)
        where text[start..<(start + part.count)].elementsEqual(part) {
            return start + part.count
        }
        return nil
    }

    static func parts(_ list: [UInt8]) -> [[UInt8]] {
        list.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map(Array.init)
    }

    static func matchesAny(_ subject: [UInt8], _ list: [UInt8]) -> Bool {
        parts(list).contains { matches(subject, $0) }
    }

    /// Whether the project is the directory of a pattern, or below it.
    static func matchesAnyProject(_ project: [UInt8], _ list: [UInt8], home: [UInt8]) -> Bool {
        parts(list).contains { part in
            var directory = part.first == UInt8(ascii: "~") ? home + part.dropFirst() : part
            while directory.last == UInt8(ascii: "/") { directory.removeLast() }
            return matches(project, directory) || matches(project, directory + Array("/*".utf8))
        }
    }
}
