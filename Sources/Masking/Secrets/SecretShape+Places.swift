extension SecretShape {
    private static let maxUserInfoBytes = 512

    /// The password of `scheme://user:password@host` (RFC 3986 section 3.2.1). `colon` is the position of the
    /// scheme's colon.
    static func userInfo(in text: Span<UInt8>, at colon: Int, _ scan: inout SecretScan) -> Range<Int>? {
        guard text.has("/", "/", at: colon + 1) else { return nil }
        let start = colon + 3
        var first: Int?
        var end: Int?
        var index = start
        let bound = min(start + maxUserInfoBytes, text.count)
        scan: while index < bound {
            switch text[index] {
            case UInt8(ascii: ":"):
                if text.has("/", "/", at: index + 1) { break scan }
                first = first ?? index
            case UInt8(ascii: "@"): end = index
            case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"):
                // A password may contain these bytes unescaped. After an `@` they belong to the path.
                if end != nil || first == nil { break scan }
            case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"), UInt8(ascii: "`"), UInt8(ascii: "<"),
                UInt8(ascii: ">"), 0...0x20:
                break scan
            default: break
            }
            index += 1
        }
        scan.work += index - start
        guard let first, let end, first + 1 < end, !isPort(in: text, first..<end),
            !SecretValue.isPlaceholder(in: text, at: first + 1, UInt8(ascii: "@"))
        else { return tokenAsUser(in: text, start..<(end ?? start), hasPassword: first != nil) }
        return (first + 1)..<end
    }

    /// `host:8080/a@b` contains no password.
    private static func isPort(in text: Span<UInt8>, _ range: Range<Int>) -> Bool {
        let digits = text.endOfRun(from: range.lowerBound + 1, \.isASCIIDigit)
        let next = text.byte(at: digits)
        return digits < range.upperBound
            && (next == UInt8(ascii: "/") || next == UInt8(ascii: "?") || next == UInt8(ascii: "#"))
    }

    /// `https://TOKEN@host`: a long user name with letters and digits.
    private static func tokenAsUser(in text: Span<UInt8>, _ range: Range<Int>, hasPassword: Bool) -> Range<Int>? {
        guard !hasPassword, range.count >= 20 else { return nil }
        var digits = 0
        var letters = 0
        for index in range {
            guard text[index].isNameByte else { return nil }
            if text[index].isASCIIDigit { digits += 1 } else if text[index].isASCIILetter { letters += 1 }
        }
        return digits > 2 && letters > 2 ? range : nil
    }

    /// `login NAME password SECRET`, on one line or several.
    static func netrcPassword(in text: Span<UInt8>, at index: Int, from start: Int, _ scan: inout SecretScan)
        -> Range<Int>?
    {
        var position = skippingSpaceBack(in: text, from: index)
        guard position < index else { return nil }
        let bound = max(0, index - 256)
        while position > bound, text[position - 1] > 0x20, text[position - 1] != UInt8(ascii: "\\") { position -= 1 }
        let end = skippingSpaceBack(in: text, from: position)
        scan.work += index - position
        guard text.has("login", at: end - 5) || text.has("machine", at: end - 7) || text.has("account", at: end - 7)
        else { return nil }
        let valueStart = text.endOfRun(from: start, \.isBlank)
        let valueEnd = text.endOfRun(from: valueStart) { $0 > 0x20 && $0 != UInt8(ascii: "\\") && !$0.isQuote }
        scan.work += valueEnd - valueStart
        guard valueStart < valueEnd, !SecretValue.isPlaceholder(in: text, at: valueStart, 0) else { return nil }
        return valueStart..<valueEnd
    }

    /// Skips white space backwards, including `\n` in nested JSON.
    private static func skippingSpaceBack(in text: Span<UInt8>, from end: Int) -> Int {
        var index = end
        while index > 0, end - index < 64 {
            if text[index - 1] <= 0x20 {
                index -= 1
            } else if index >= 2, text[index - 1] == UInt8(ascii: "n"), text[index - 2] == UInt8(ascii: "\\") {
                index -= 2
            } else {
                return index
            }
        }
        return index
    }

    /// `host:port:database:user:password` (PostgreSQL manual, section 34.16). `colon` is the colon before the port.
    static func pgpassPassword(in text: Span<UInt8>, at colon: Int, _ scan: inout SecretScan) -> Range<Int>? {
        let portStart = colon + 1
        guard text.byte(at: portStart).isASCIIDigit || text.byte(at: portStart) == UInt8(ascii: "*") else { return nil }
        let isAnyPort = text.has("*:", at: portStart)
        let portEnd = isAnyPort ? portStart + 1 : text.endOfRun(from: portStart, limit: 6, \.isASCIIDigit)
        guard text.byte(at: portEnd) == UInt8(ascii: ":"), isAnyPort || (3...5).contains(portEnd - portStart),
            text[portStart] != UInt8(ascii: "0"), isHost(in: text, before: colon)
        else { return nil }
        var index = portEnd
        for _ in 0..<2 {
            guard text.byte(at: index) == UInt8(ascii: ":") else { return nil }
            let end = text.endOfRun(from: index + 1, limit: 64) { $0.isNameByte || $0 == UInt8(ascii: "*") }
            // A number in place of a name means a line and a column of source code.
            guard end > text.endOfRun(from: index + 1, \.isASCIIDigit) else { return nil }
            scan.work += end - index
            index = end
        }
        guard text.byte(at: index) == UInt8(ascii: ":") else { return nil }
        let start = index + 1
        let end = text.endOfRun(from: start) {
            $0 > 0x20 && $0 != UInt8(ascii: "\\") && !$0.isQuote && $0 != UInt8(ascii: "`")
        }
        scan.work += end - start
        guard end - start >= 3, !SecretValue.isPlaceholder(in: text, at: start, 0) else { return nil }
        // The address of an interface or a node has more colons. A mask may replace some of them.
        for position in start..<min(end, start + 64)
        where text[position] == UInt8(ascii: ":") || text.has("***", at: position) {
            return nil
        }
        return start..<end
    }

    /// A name, an address or `*`, but not a number.
    private static func isHost(in text: Span<UInt8>, before colon: Int) -> Bool {
        var index = colon
        var hasLetter = false
        while index > 0, colon - index < 128, text[index - 1].isNameByte || text[index - 1] == UInt8(ascii: "*") {
            index -= 1
            hasLetter = hasLetter || !text[index].isASCIIDigit
        }
        let before = text.byte(at: index - 1)
        return hasLetter && index < colon
            && (before <= 0x20 || before.isQuote || before == UInt8(ascii: "\\")
                || !before.isNameByte && before != UInt8(ascii: "/") && before != UInt8(ascii: ":"))
    }
}

extension Span<UInt8> {
    fileprivate func endOfRun(from index: Int, limit: Int, _ condition: (UInt8) -> Bool) -> Int {
        var end = index
        while end < count, end - index < limit, condition(self[end]) { end += 1 }
        return end
    }
}
