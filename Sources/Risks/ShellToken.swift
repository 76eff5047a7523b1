/// A part of a shell command. Words are marked: see `ShellMark`.
package enum ShellToken: Equatable, Sendable {
    case word([UInt8])
    /// The end of a simple command.
    case end
    /// A file to which the command writes.
    case write([UInt8])
    /// A file that the command reads.
    case read([UInt8])
    /// Text that a program reads: a here-document or a here-string.
    case text([UInt8])
    /// The text does not show which command runs.
    case opaque
    /// The rest of the command was not read.
    case unread
}

/// The marks in a word. The reader replaces these bytes in the command, so they occur only as marks.
enum ShellMark {
    /// Precedes a quoted character that would otherwise have a meaning in a word.
    static let quote: UInt8 = 1
    /// Stands for text that only the shell knows.
    static let unknown: UInt8 = 2

    static func quoted(_ byte: UInt8, to word: inout [UInt8]) {
        if byte.isOne(of: .special) { word.append(quote) }
        word.append(byte)
    }

    static func quoted(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var word: [UInt8] = []
        for byte in bytes { quoted(byte, to: &word) }
        return word
    }

    static func unmarked(_ word: [UInt8]) -> [UInt8] {
        word.contains(quote) ? word.filter { $0 != quote } : word
    }

    /// Replaces the bytes of the marks, and NUL, as the hooks do.
    static func replacingMarks(in text: [UInt8]) -> [UInt8] {
        text.contains { $0 < 4 } ? text.map { $0 < 4 ? UInt8(ascii: "?") : $0 } : text
    }

    /// Whether the shell replaces the word by the files that match it.
    static func isPattern(_ word: some Sequence<UInt8>) -> Bool {
        var isQuoted = false
        var hasBracket = false
        for byte in word {
            if isQuoted {
                isQuoted = false
                continue
            }
            switch byte {
            case quote: isQuoted = true
            case UInt8(ascii: "*"), UInt8(ascii: "?"): return true
            case UInt8(ascii: "["): hasBracket = true
            case UInt8(ascii: "]") where hasBracket: return true
            default: break
            }
        }
        return false
    }
}

extension UInt8 {
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 32) }
    var isNamePart: Bool { self == UInt8(ascii: "_") || isDigit || isLetter }
    var isHexadecimal: Bool { isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self | 32) }
    var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}
