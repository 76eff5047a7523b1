/// Finds the extent of the value after the name of a secret, and decides whether it is a secret.
enum SecretValue {
    struct Context {
        var strength: SecretName.Strength
        var isColon = false
        /// The separator was written as `%3D` or `\u003d`.
        var isEncoded = false
        /// `NAME=value` in a shell or a settings file, not in source code.
        var isEnvironment = false
        /// `==` in source code.
        var isComparison = false
    }

    private static let schemes = [
        "Bearer ", "bearer ", "Basic ", "basic ", "Token ", "token ", "Digest ", "ApiKey ", "Negotiate ",
    ].map { (first: $0.utf8.first ?? 0, text: $0) }
    /// Maximum number of bytes of a value that are examined to decide whether it is a secret.
    static let maxSample = 256

    static func range(in text: Span<UInt8>, from start: Int, _ context: Context, _ scan: inout SecretScan)
        -> Range<Int>?
    {
        var start = start
        var context = context
        context.isComparison = text.byte(at: start) == UInt8(ascii: "=") && !context.isColon
        while text.byte(at: start) == UInt8(ascii: "=") || text.byte(at: start) == UInt8(ascii: ">") && !context.isColon
        {
            start += 1
        }
        start = skippingBlanks(in: text, from: start)
        if text.byte(at: start).isASCIIAlphanumeric, !text.byte(at: start + 1).isQuote {
            return bare(in: text, from: skippingScheme(in: text, from: start), context, &scan)
        }
        if let block = SecretBlock.range(in: text, at: start, &scan) {
            return context.strength == .certain ? block : nil
        }
        let slashes = text.endOfRun(from: start) { $0 == UInt8(ascii: "\\") } - start
        var quote = text.byte(at: start + slashes)
        if slashes == 0, !quote.isQuote, isLiteralMark(quote), text.byte(at: start + 1).isQuote {
            start += 1
            quote = text.byte(at: start)
        }
        if quote.isQuote {
            start = skippingScheme(in: text, from: start + slashes + 1)
            return quoted(in: text, from: start, by: quote, slashes, context, &scan)
        }
        if slashes > 0 {
            // An escape can stand for a line break, which ends the line, or for a colour or a quote, which do not.
            let escape = TextEscape(in: text, at: start)
            guard escape.length > slashes + 1 else { return nil }
            start += escape.length
        } else if context.isEncoded {
            while text.has("%22", at: start) || text.has("%20", at: start) || text.has("%27", at: start) { start += 3 }
        }
        return bare(in: text, from: skippingScheme(in: text, from: start), context, &scan)
    }

    private static func skippingBlanks(in text: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < text.count {
            if text[index].isBlank {
                index += 1
            } else if text[index] == 0x1B {
                let length = TextEscape.colour(in: text, at: index)
                guard length > 0 else { return index }
                index += length
            } else {
                return index
            }
        }
        return index
    }

    /// `b"…"` and `r'…'` in source code.
    private static func isLiteralMark(_ byte: UInt8) -> Bool {
        switch byte | 0x20 {
        case UInt8(ascii: "b"), UInt8(ascii: "r"), UInt8(ascii: "f"), UInt8(ascii: "u"), UInt8(ascii: "l"): true
        default: byte == UInt8(ascii: "@") || byte == UInt8(ascii: "$")
        }
    }

    /// An authentication scheme is not a secret (RFC 9110 section 11.1), but the text after it is.
    private static func skippingScheme(in text: Span<UInt8>, from start: Int) -> Int {
        switch text.byte(at: start) {
        case UInt8(ascii: "B"), UInt8(ascii: "b"), UInt8(ascii: "T"), UInt8(ascii: "t"), UInt8(ascii: "D"),
            UInt8(ascii: "A"), UInt8(ascii: "N"):
            break
        default: return start
        }
        guard text.byte(at: start + 4).isASCIILetter else { return start }
        for scheme in schemes where scheme.first == text[start] && text.has(scheme.text, at: start) {
            return skippingBlanks(in: text, from: start + scheme.text.utf8.count)
        }
        return start
    }

    // MARK: - Quoted

    /// The value ends at a quote with no more backslashes than the opening one. A quote inside the value has more.
    private static func quoted(
        in text: Span<UInt8>,
        from start: Int,
        by quote: UInt8,
        _ slashes: Int,
        _ context: Context,
        _ scan: inout SecretScan
    ) -> Range<Int>? {
        guard !SecretShape.isPrivateKey(in: text, at: start), !isPlaceholder(in: text, at: start, quote) else {
            return nil
        }
        let sampleEnd = quoteEnd(in: text, from: start, by: quote, slashes, limit: maxSample)
        scan.work += sampleEnd - start
        let sample = text.extracting(start..<sampleEnd)
        guard !sample.isEmpty, !isTypeWord(sample), isEnough(sample, context, isBare: false) else { return nil }
        let end =
            sampleEnd - start < maxSample
            ? sampleEnd : quoteEnd(in: text, from: start, by: quote, slashes, limit: .max)
        scan.work += end - start
        return start..<end
    }

    private static func quoteEnd(in text: Span<UInt8>, from start: Int, by quote: UInt8, _ slashes: Int, limit: Int)
        -> Int
    {
        let bound = limit < text.count - start ? start + limit : text.count
        var index = start
        while index < bound {
            let byte = text[index]
            if byte == quote, slashes == 0 { return index }
            if byte == 0x0A { return index }
            guard byte == UInt8(ascii: "\\") else {
                index += 1
                continue
            }
            let end = text.extracting(..<bound).endOfRun(from: index) { $0 == UInt8(ascii: "\\") }
            if text.byte(at: end) == quote, end - index <= slashes { return index }
            index = min(end + 1, bound)
        }
        return bound
    }

    // MARK: - Bare

    private static func bare(in text: Span<UInt8>, from start: Int, _ context: Context, _ scan: inout SecretScan)
        -> Range<Int>?
    {
        guard start < text.count else { return nil }
        if !text[start].isASCIIAlphanumeric,
            SecretShape.isPrivateKey(in: text, at: start) || isPlaceholder(in: text, at: start, 0)
        {
            return nil
        }
        switch context.strength {
        case .line: return headerLine(in: text, from: start, context, &scan)
        case .random:
            var end = scan.run(of: .random, in: text, from: start)
            if context.isEncoded { end = encodedEnd(in: text, from: start, to: end) }
            let sample = text.extracting(start..<min(end, start + maxSample))
            end = text.endOfRun(from: end) { $0 == UInt8(ascii: "=") }
            guard ends(in: text, at: end), isEnough(sample, context, isBare: true) else { return nil }
            return start..<end
        case .certain, .likely:
            let word = scan.run(of: .dotted, in: text, from: start, limit: maxSample)
            if isCode(in: text, start..<word, context, &scan) || scan.isMasked(in: text, start..<word) {
                return nil
            }
            let classes = scan.table.classes
            var end = start
            while end < text.count, classes[Int(text[end])] & SecretTable.endsBareValue == 0 { end += 1 }
            scan.work += end - start
            if context.isEncoded { end = encodedEnd(in: text, from: start, to: end) }
            let sample = text.extracting(start..<min(end, start + maxSample))
            guard end > start, !isTypeWord(sample), isEnough(sample, context, isBare: true) else { return nil }
            return start..<end
        }
    }

    /// `a=b; c=d` up to the end of the line or the enclosing quote.
    private static func headerLine(in text: Span<UInt8>, from start: Int, _ context: Context, _ scan: inout SecretScan)
        -> Range<Int>?
    {
        let name = scan.run(of: .dotted, in: text, from: start, limit: maxSample)
        guard context.isColon || context.isEncoded, name > start, text.byte(at: name) == UInt8(ascii: "=") else {
            var random = context
            random.strength = .random
            return context.isColon ? nil : bare(in: text, from: start, random, &scan)
        }
        let end = text.endOfRun(from: start) { byte in
            byte >= 0x20 && !byte.isQuote && byte != UInt8(ascii: "\\") && byte != UInt8(ascii: "`")
        }
        scan.work += end - start
        return start..<end
    }

    /// A value in a percent-encoded query ends at `%26` (&) or `%22` ("). `%40` (@) belongs to the value.
    private static func encodedEnd(in text: Span<UInt8>, from start: Int, to end: Int) -> Int {
        var index = start
        while index < end {
            if text[index] == UInt8(ascii: "%"),
                ["26", "22", "20", "0A", "0a", "0D", "2C", "27", "7D", "3B"].contains(where: {
                    text.has($0, at: index + 1)
                })
            {
                return index
            }
            index += 1
        }
        return end
    }

    private static func ends(in text: Span<UInt8>, at index: Int) -> Bool {
        guard index < text.count else { return true }
        let byte = text[index]
        if byte == UInt8(ascii: "[") { return TextEscape.colour(in: text, at: index) > 0 }
        switch byte {
        case 0...0x20, 0x80..., UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: ","),
            UInt8(ascii: ";"), UInt8(ascii: "&"), UInt8(ascii: ")"), UInt8(ascii: "}"), UInt8(ascii: "]"),
            UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "|"), UInt8(ascii: "`"), UInt8(ascii: "%"),
            UInt8(ascii: "@"), UInt8(ascii: "#"):
            return true
        default: return false
        }
    }
}
