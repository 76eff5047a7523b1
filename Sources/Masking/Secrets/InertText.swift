internal import JSON

/// Text that a shell, an interpreter or a template would take as one plain word.
///
/// A person who approves a command must see all of its code, and the command's author chooses the text around a
/// secret. So only inert text may be masked in a prompt.
enum InertText {
    /// Without white space, quotes, escapes, globs and the characters that separate, group, expand or redirect. The
    /// lines of a key in base64 are inert too.
    static func isInert(_ text: Span<UInt8>) -> Bool {
        var isWord = true
        var isBase64 = true
        for index in text.indices {
            let byte = text[index]
            if byte.isASCIIAlphanumeric { continue }
            isWord = isWord && isOfWord(byte)
            isBase64 = isBase64 && isOfBase64(byte)
            guard isWord || isBase64 else { return false }
        }
        return true
    }

    /// A number is inert. Objects and arrays are not: their members are judged one by one.
    static func isInert(_ value: JSONElement) -> Bool {
        switch value.kind {
        case .string: value.withUTF8 { isInert($0) } ?? false
        case .object, .array: false
        default: true
        }
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "/"),
            UInt8(ascii: "="), UInt8(ascii: "~"), UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "%"),
            UInt8(ascii: ","), UInt8(ascii: "^"), UInt8(ascii: "#"), UInt8(ascii: "!"):
            true
        default: false
        }
    }

    private static func isOfBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="), 0x0A, 0x0D: true
        default: false
        }
    }
}
