/// Values next to the name of a secret: `password=…`, `"api_key": "…"`, `Authorization: Bearer …`, a block of YAML,
/// or a pair such as `{"name": "API_KEY", "value": "…"}`.
enum SecretAssignment {
    /// Maximum bytes of quotes, blanks and escapes between a name and its separator.
    private static let maxGap = 16
    /// Maximum bytes from the end of the name in a pair to the end of the word that introduces its value.
    private static let maxPairGap = 200

    /// `separator`: the range of an equals sign, a colon or an escape for one.
    static func value(in text: Span<UInt8>, separator: Range<Int>, _ scan: inout SecretScan) -> Range<Int>? {
        guard text.byte(at: separator.upperBound) != UInt8(ascii: ":") else { return nil }
        let name = nameRange(in: text, before: separator.lowerBound)
        scan.work += separator.lowerBound - name.lowerBound + 1
        guard name.count >= 3 else { return nil }
        let word = text.extracting(name)
        if let strength = scan.strength(ofName: name, in: text) {
            let context = SecretValue.Context(
                strength: strength,
                isColon: text[separator.lowerBound] == UInt8(ascii: ":"),
                isEncoded: separator.count > 1,
                isEnvironment: isEnvironment(word) && text[separator.lowerBound] == UInt8(ascii: "=")
                    && name.upperBound == separator.lowerBound && !text.byte(at: separator.upperBound).isBlank
            )
            return SecretValue.range(in: text, from: separator.upperBound, context, &scan)
        }
        if isPairName(word) {
            notePair(in: text, from: separator.upperBound, &scan)
        } else if isValueName(word) {
            return pairValue(in: text, from: separator, &scan)
        }
        return nil
    }

    /// The name that ends before `end`, without quotes, terminal colours and escapes around it.
    private static func nameRange(in text: Span<UInt8>, before end: Int) -> Range<Int> {
        var nameEnd = end
        while nameEnd > 0, end - nameEnd < maxGap {
            let byte = text[nameEnd - 1]
            if byte.isQuote || byte.isBlank || byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "]") {
                nameEnd -= 1
            } else if nameEnd >= 3, text[nameEnd - 3] == UInt8(ascii: "%"), text.has("2", "2", at: nameEnd - 2) {
                nameEnd -= 3
            } else if byte == UInt8(ascii: "m"), let escape = escapeStart(in: text, before: nameEnd) {
                nameEnd = escape
            } else {
                break
            }
        }
        var start = nameEnd
        while start > 0, nameEnd - start < SecretName.maxBytes, text[start - 1].isNameByte { start -= 1 }
        return withoutEscape(start..<nameEnd, in: text)
    }

    /// The start of an `ESC [ … m` that ends at `end`, or `nil`.
    private static func escapeStart(in text: Span<UInt8>, before end: Int) -> Int? {
        var start = end - 1
        while start > 0, end - start < 12, text[start - 1].isASCIIDigit || text[start - 1] == UInt8(ascii: ";") {
            start -= 1
        }
        guard start >= 2, text[start - 1] == UInt8(ascii: "["), text[start - 2] == 0x1B else { return nil }
        return start - 2
    }

    /// The name in `\nNAME`, `\u0026NAME`, `%22NAME` and `ESC[1mNAME`.
    private static func withoutEscape(_ name: Range<Int>, in text: Span<UInt8>) -> Range<Int> {
        let before = text.byte(at: name.lowerBound - 1)
        var skipped = 0
        switch (before, text.byte(at: name.lowerBound)) {
        case (UInt8(ascii: "\\"), UInt8(ascii: "n")), (UInt8(ascii: "\\"), UInt8(ascii: "r")),
            (UInt8(ascii: "\\"), UInt8(ascii: "t")):
            skipped = 1
        case (UInt8(ascii: "\\"), UInt8(ascii: "u")): skipped = 5
        case (UInt8(ascii: "%"), _): skipped = text.has("25", at: name.lowerBound) ? 4 : 2
        case (UInt8(ascii: "["), _), (UInt8(ascii: ";"), _):
            let digits = text.endOfRun(from: name.lowerBound, \.isASCIIDigit)
            skipped = text.byte(at: digits) == UInt8(ascii: "m") ? digits + 1 - name.lowerBound : 0
        default: return name
        }
        return min(name.lowerBound + skipped, name.upperBound)..<name.upperBound
    }

    private static func isEnvironment(_ name: Span<UInt8>) -> Bool {
        for index in name.indices where name[index].isASCIILower || name[index] == UInt8(ascii: ".") { return false }
        return true
    }

    // MARK: - Pairs of a name and a value

    private static func isPairName(_ name: Span<UInt8>) -> Bool {
        switch (name.count, name[0] | 0x20) {
        case (3, UInt8(ascii: "k")): name.has("ey", at: 1)
        case (4, UInt8(ascii: "n")): name.has("ame", at: 1)
        case (6, UInt8(ascii: "h")): name.has("eader", at: 1)
        case (8, UInt8(ascii: "v")): name.has("ariable", at: 1)
        default: false
        }
    }

    /// OpenTelemetry uses `stringValue`.
    private static func isValueName(_ name: Span<UInt8>) -> Bool {
        switch (name.count, name[0] | 0x20) {
        case (3, UInt8(ascii: "v")): name.has("al", at: 1)
        case (5, UInt8(ascii: "v")): name.has("alue", at: 1)
        case (11, UInt8(ascii: "s")): name.has("tringValue", at: 1)
        default: false
        }
    }

    private static func notePair(in text: Span<UInt8>, from start: Int, _ scan: inout SecretScan) {
        let name = quotedName(in: text, from: start)
        guard let strength = SecretName.strength(of: text.extracting(name), scan.table) else { return }
        scan.pairEnd = name.upperBound + maxPairGap
        scan.pairStrength = strength
    }

    /// The value of `value: …`, if its name precedes or follows it.
    private static func pairValue(in text: Span<UInt8>, from separator: Range<Int>, _ scan: inout SecretScan)
        -> Range<Int>?
    {
        var strength: SecretName.Strength?
        if separator.lowerBound < scan.pairEnd {
            strength = scan.pairStrength
        } else {
            strength = strengthOfNameBehind(in: text, from: separator.upperBound, &scan)
        }
        guard let strength else { return nil }
        let context = SecretValue.Context(
            strength: strength,
            isColon: text[separator.lowerBound] == UInt8(ascii: ":"),
            isEncoded: separator.count > 1,
            isEnvironment: true
        )
        return SecretValue.range(in: text, from: separator.upperBound, context, &scan)
    }

    private static func strengthOfNameBehind(in text: Span<UInt8>, from start: Int, _ scan: inout SecretScan)
        -> SecretName.Strength?
    {
        var index = skippingQuotes(in: text, from: start)
        let bound = min(text.count, index + maxPairGap)
        while index < bound, !text[index].isQuote, text[index] != 0x0A {
            // Masking may have moved the name into reach.
            if text[index] == UInt8(ascii: "*"), text.has("***", at: index) { return nil }
            index += 1
        }
        scan.work += index - start
        index = skippingQuotes(in: text, from: index)
        let name = quotedName(in: text, from: index)
        guard !name.isEmpty, isPairName(text.extracting(name)) else { return nil }
        return SecretName.strength(of: text.extracting(quotedName(in: text, from: name.upperBound)), scan.table)
    }

    private static func quotedName(in text: Span<UInt8>, from start: Int) -> Range<Int> {
        let nameStart = skippingQuotes(in: text, from: start)
        var end = nameStart
        while end < text.count, end - nameStart <= SecretName.maxBytes, text[end].isNameByte { end += 1 }
        return nameStart..<end
    }

    /// Skips quotes, blanks, line breaks, commas and separators.
    private static func skippingQuotes(in text: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < text.count, index - start < 48 {
            switch text[index] {
            case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"), UInt8(ascii: ","), UInt8(ascii: ":"),
                UInt8(ascii: "="), 0x20, 0x09, 0x0A, 0x0D:
                index += 1
            case UInt8(ascii: "n") where index > 0 && text[index - 1] == UInt8(ascii: "\\"): index += 1
            default: return index
            }
        }
        return index
    }
}
