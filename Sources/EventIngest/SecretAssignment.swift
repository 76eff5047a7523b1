/// Values that stand beside a telling name: `password=…`, `"api_key": "…"`, `Authorization: Bearer …`, `--token …`, and
/// the password of `scheme://user:password@host`.
enum SecretAssignment {
    private static let maxNameBytes = 64
    private static let maxUserInfoBytes = 256
    /// What stands after `password:` in source code.
    private static let typeWords = [
        "string", "str", "bool", "int", "number", "any", "null", "nil", "none", "true", "false", "undefined",
        "optional",
    ]

    /// `index` is the place of an equals sign or a colon.
    static func value(in text: Span<UInt8>, at index: Int) -> Range<Int>? {
        if text.has("://", at: index) { return urlPassword(in: text, from: index + 3) }
        var nameEnd = index
        while nameEnd > 0, index - nameEnd < 4, isQuoteOrSpace(text[nameEnd - 1]) { nameEnd -= 1 }
        var nameStart = nameEnd
        while nameStart > 0, nameEnd - nameStart < maxNameBytes, isNameByte(text[nameStart - 1]) { nameStart -= 1 }
        guard nameEnd - nameStart >= 5, SecretName.matches(text.extracting(nameStart..<nameEnd)) else { return nil }
        var start = index + 1
        while start < text.count, text[start] == UInt8(ascii: "=") || text[start] == UInt8(ascii: ">") { start += 1 }
        start = text.endOfRun(from: start) { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        start = text.endOfRun(from: start) { $0 == UInt8(ascii: "\\") }
        return valueRange(in: text, from: start)
    }

    /// `--token abc`: `index` is the place of the first hyphen.
    static func flagValue(in text: Span<UInt8>, at index: Int) -> Range<Int>? {
        guard text.has("--", at: index), index == 0 || isQuoteOrSpace(text[index - 1]) else { return nil }
        var nameEnd = index + 2
        while nameEnd < text.count, nameEnd - index < maxNameBytes, isNameByte(text[nameEnd]) { nameEnd += 1 }
        guard nameEnd < text.count, text[nameEnd] == UInt8(ascii: " "), nameEnd + 1 < text.count,
            text[nameEnd + 1] != UInt8(ascii: "-"), SecretName.matches(text.extracting((index + 2)..<nameEnd))
        else { return nil }
        return valueRange(in: text, from: nameEnd + 1)
    }

    private static func valueRange(in text: Span<UInt8>, from start: Int) -> Range<Int>? {
        var start = start
        guard start < text.count else { return nil }
        let quote = text[start]
        let isQuoted = quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
        if isQuoted { start += 1 }
        start = skippingScheme(in: text, from: start)
        guard start < text.count, !isPlaceholderStart(text[start]) else { return nil }
        let end = text.endOfRun(from: start) { byte in
            isQuoted ? byte != quote && byte != UInt8(ascii: "\\") && byte != 0x0A : !endsBareValue(byte)
        }
        guard end > start, !isTypeWord(text.extracting(start..<end)) else { return nil }
        return start..<end
    }

    /// An authentication scheme is no secret (RFC 9110 section 11.1); what follows it is.
    private static func skippingScheme(in text: Span<UInt8>, from start: Int) -> Int {
        for scheme in ["Bearer ", "bearer ", "Basic ", "basic ", "Token ", "token ", "Digest "]
        where text.has(scheme, at: start) {
            return start + scheme.utf8.count
        }
        return start
    }

    private static func urlPassword(in text: Span<UInt8>, from start: Int) -> Range<Int>? {
        var colon: Int?
        for position in start..<min(start + maxUserInfoBytes, text.count) {
            switch text[position] {
            case UInt8(ascii: ":"): colon = colon ?? position
            case UInt8(ascii: "@"):
                guard let colon, colon + 1 < position, !isPlaceholderStart(text[colon + 1]) else { return nil }
                return (colon + 1)..<position
            case UInt8(ascii: "/"), UInt8(ascii: "\""), UInt8(ascii: "'"), 0...0x20: return nil
            default: continue
            }
        }
        return nil
    }

    /// `String`, `string?`: the word, whatever its case, and at most punctuation after it.
    private static func isTypeWord(_ value: Span<UInt8>) -> Bool {
        guard value.count <= 9 else { return false }
        var word: [UInt8] = []
        for index in value.indices where value[index].isASCIIAlphanumeric { word.append(value[index].lowercasedASCII) }
        return typeWords.contains { $0.utf8.elementsEqual(word) }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool { byte.isTokenByte || byte == UInt8(ascii: ".") }

    private static func isQuoteOrSpace(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: " "), 0x09, 0x0A, UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"),
            UInt8(ascii: "]"):
            true
        default: false
        }
    }

    /// `$TOKEN`, `${{ secrets.X }}`, `<token>`, `%TOKEN%`, `***`: a reference or already masked.
    private static func isPlaceholderStart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "$"), UInt8(ascii: "{"), UInt8(ascii: "<"), UInt8(ascii: "("), UInt8(ascii: "["),
            UInt8(ascii: "*"), UInt8(ascii: "%"):
            true
        default: false
        }
    }

    private static func endsBareValue(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"), UInt8(ascii: ","), UInt8(ascii: ";"),
            UInt8(ascii: "&"), UInt8(ascii: ")"), UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: "<"),
            UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "|"):
            true
        default: false
        }
    }
}
