internal import EventModel

extension CommandRisk {
    private static let systemDirectories = [
        "/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/", "/opt/homebrew/bin/",
    ].map { Array($0.utf8) }

    /// Returns the name of a program in one of the system's directories. Returns any other word without its marks.
    static func program(_ word: [UInt8]) -> [UInt8] {
        let word = ShellMark.unmarked(word)
        guard let directory = systemDirectories.first(where: { word.starts(with: $0) }) else { return word }
        let name = Array(word.dropFirst(directory.count))
        return name.contains(UInt8(ascii: "/")) ? word : name
    }

    /// Whether a row of commands matches a command.
    ///
    /// - Parameters:
    ///   - texts: the words after the program.
    ///   - arguments: the words of `texts` that are neither options nor values of options.
    static func matches(_ row: RiskTable.Row, _ texts: [[UInt8]], _ arguments: [[UInt8]]) -> Bool {
        var next = 0
        for (place, word) in row.words.enumerated() {
            if word.isOption {
                guard texts.contains(where: word.matches) else { return false }
            } else if row.risk <= .edit {
                guard place < texts.count, word.matches(texts[place]) else { return false }
            } else {
                guard let found = arguments[min(next, arguments.count)...].firstIndex(where: word.matches) else {
                    return false
                }
                next = found + 1
            }
        }
        return true
    }

    /// Whether the text contains the name as a whole word that no dot precedes.
    static func holds(_ text: [UInt8], _ name: [UInt8]) -> Bool {
        var start = 0
        while let found = text[start...].firstRange(of: name) {
            let before = found.lowerBound > 0 ? text[found.lowerBound - 1] : nil
            let after = found.upperBound < text.count ? text[found.upperBound] : nil
            let begins = before.map { !$0.isNamePart && $0 != UInt8(ascii: ".") } ?? true
            if begins, after.map({ !$0.isNamePart }) ?? true { return true }
            start = found.lowerBound + 1
        }
        return false
    }
}
