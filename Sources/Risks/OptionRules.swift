/// The options of a program that do not change its risk, and the meaning of their values. Each is from an `options`
/// row.
struct OptionRules: Sendable {
    enum Mark: UInt8, Sendable {
        case flag = 0x2D  // -
        case value = 0x3A  // :
        case anyValue = 0x3D  // =
        case attachedValue = 0x3F  // ?
        case writtenFile = 0x3E  // >
        case filePattern = 0x25  // %
        case command = 0x21  // !
        case namedCommand = 0x26  // &
        case commandWords = 0x3B  // ;
        case runsNothing = 0x7E  // ~
        case makesArguments = 0x5E  // ^

        /// Whether the option takes the rest of its word or the next word.
        var takesValue: Bool {
            switch self {
            case .value, .anyValue, .writtenFile, .filePattern, .command, .namedCommand: true
            default: false
            }
        }
    }

    private(set) var marks: [[UInt8]: Mark] = [:]
    /// Whether options that are not in the row are harmless.
    private(set) var allowsAny = false
    /// Whether an option is a word after one hyphen instead of letters.
    private(set) var areWords = false
    private(set) var endAtArgument = false
    private(set) var skipsFirst = false
    private(set) var allowsAssignments = false
    private(set) var isForProject = false
    private(set) var allowsDigits = false
    /// Whether a letter's value is never attached to it.
    private(set) var areValuesApart = false
    /// Whether the program can run commands that its arguments contain.
    private(set) var areArgumentsCommands = false

    init() {}

    init(_ words: some Sequence<[UInt8]>) {
        for word in words {
            if word.count > 1, word[0] == UInt8(ascii: "-") {
                add(word)
            } else {
                note(String(decoding: word, as: UTF8.self))
            }
        }
        allowsDigits = marks[Array("-#".utf8)] != nil
    }

    private mutating func note(_ rule: String) {
        switch rule {
        case "any": allowsAny = true
        case "+": areWords = true
        case ".": endAtArgument = true
        case "1": skipsFirst = true
        case "=": allowsAssignments = true
        case "@": isForProject = true
        case ",": areValuesApart = true
        case "&": areArgumentsCommands = true
        default: break
        }
    }

    private mutating func add(_ word: [UInt8]) {
        let found = word.last.flatMap(Mark.init(rawValue:)).flatMap { $0 == .flag ? nil : $0 }
        let option = found == nil ? word : word.dropLast()
        if areWords || option.starts(with: "--".utf8) {
            marks[option] = found ?? .flag
        } else {
            for letter in option.dropFirst() { marks[[UInt8(ascii: "-"), letter]] = found ?? .flag }
        }
    }
}
