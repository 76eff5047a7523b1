/// A set of ASCII characters.
struct ByteSet: Sendable, ExpressibleByStringLiteral {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    init(stringLiteral text: String) {
        for byte in text.utf8 {
            if byte < 64 { low |= 1 << UInt64(byte) } else if byte < 128 { high |= 1 << UInt64(byte - 64) }
        }
    }

    func contains(_ byte: UInt8) -> Bool {
        (byte < 64 ? low >> UInt64(byte) : byte < 128 ? high >> UInt64(byte - 64) : 0) & 1 == 1
    }

    /// Characters that have a meaning in a word when they are not quoted.
    static let special: ByteSet = "*?[]{},"
    static let wildcards: ByteSet = "*?["
    static let lastWildcards: ByteSet = "*?]"
    /// Characters that end a word.
    static let ends: ByteSet = " \t\n;&|)"
    static let separators: ByteSet = "\n;&|)"
    static let testSeparators: ByteSet = "\n;&|()<>"
    /// Characters with which the file of a redirection cannot begin.
    static let noFile: ByteSet = "\n;&|()"
    static let angles: ByteSet = "<>"
    static let expansions: ByteSet = "'\"\\$`<>("
    /// Characters after `${` with which commands begin.
    static let commandBraces: ByteSet = " \t\n|"
    /// Characters that have a meaning after a dollar in arithmetic.
    static let arithmeticDollars: ByteSet = "'("
    static let joins: ByteSet = ";&"
    static let escapedInQuotes: ByteSet = "$`\"\\"
    static let escapedInBackquotes: ByteSet = "$`\\"
    /// Names of the variables that consist of one special character.
    static let variables: ByteSet = "*@#?!$-"
    static let quoteEscapes: ByteSet = "\\'\"?"
    static let escapeEscapes: ByteSet = "eE"
    static let codeEscapes: ByteSet = "uUcx"
    static let pathStarts: ByteSet = "./~"
    static let pathSeparators: ByteSet = "=:@,"
    /// Characters after which a text can contain a command.
    static let commandSeparators: ByteSet = "=:! \t\n\"'"
    /// Characters between the patterns of files in one text.
    static let patternSeparators: ByteSet = " \t\n,"
    static let pathMagic: ByteSet = "/!^"
    static let textOptions: ByteSet = "ef"
    static let whites: ByteSet = " \t\n"
    static let negations: ByteSet = "!^"
    static let classKinds: ByteSet = ":.="
    static let signs: ByteSet = "+-"
    static let openClass: ByteSet = "-["
}

extension UInt8 {
    func isOne(of set: ByteSet) -> Bool { set.contains(self) }
}
