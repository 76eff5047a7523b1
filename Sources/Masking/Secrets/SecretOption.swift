/// Secrets among the arguments of a command: `--token abc`, `"--token", "abc"`, `-u user:password`.
enum SecretOption {
    /// `index` is the position of the first hyphen.
    static func value(in text: Span<UInt8>, at index: Int, _ scan: inout SecretScan) -> Range<Int>? {
        let before = text.byte(at: index - 1)
        guard before <= 0x20 || before.isQuote || before == UInt8(ascii: "`") || before == UInt8(ascii: "(") else {
            return nil
        }
        let start = text.endOfRun(from: index) { $0 == UInt8(ascii: "-") }
        guard start - index <= 2, text.byte(at: start).isASCIILetter || text.has("_", at: start) else { return nil }
        var nameEnd = start
        while nameEnd < text.count, nameEnd - start <= SecretName.maxBytes, text[nameEnd].isNameByte { nameEnd += 1 }
        scan.work += nameEnd - index
        let name = text.extracting(start..<nameEnd)
        if isUser(name) { return password(in: text, from: valueStart(in: text, behind: nameEnd), &scan) }
        guard let strength = SecretName.strength(of: name, scan.table),
            let valueStart = valueStart(in: text, behind: nameEnd), text.byte(at: valueStart) != UInt8(ascii: "-")
        else { return nil }
        return SecretValue.range(
            in: text,
            from: valueStart,
            SecretValue.Context(strength: strength, isEnvironment: true),
            &scan
        )
    }

    static func isUser(_ name: Span<UInt8>) -> Bool {
        switch name.count {
        case 1: name[0] == UInt8(ascii: "u") || name[0] == UInt8(ascii: "U")
        case 4: name.has("user", at: 0)
        case 10: name.has("proxy-user", at: 0)
        default: false
        }
    }

    /// The value follows blanks or an equals sign, or it is in the next line of a YAML list or in the next string of an
    /// array.
    private static func valueStart(in text: Span<UInt8>, behind nameEnd: Int) -> Int? {
        if text.byte(at: nameEnd) == UInt8(ascii: "=") { return nameEnd + 1 }
        var index = text.endOfRun(from: nameEnd, \.isBlank)
        if index > nameEnd { return index }
        index = text.endOfRun(from: nameEnd) { $0 == UInt8(ascii: "\\") }
        if text.byte(at: index).isQuote {
            index = space(in: text, from: index + 1)
            if text.byte(at: index) == UInt8(ascii: ",") { return space(in: text, from: index + 1) }
        }
        let next = space(in: text, from: index)
        return next > index && text.has("- ", at: next) ? next + 2 : nil
    }

    /// Skips blanks and line breaks, including their escapes in nested JSON.
    private static func space(in text: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < text.count, index - start < 64 {
            if text[index].isBlank || text[index] == 0x0A || text[index] == 0x0D {
                index += 1
            } else if text[index] == UInt8(ascii: "\\") {
                let end = text.endOfRun(from: index) { $0 == UInt8(ascii: "\\") }
                guard text.byte(at: end) == UInt8(ascii: "n") else { return index }
                index = end + 1
            } else {
                return index
            }
        }
        return index
    }

    /// The part after the colon of `user:password`. Ignores the numbers of a user and a group.
    private static func password(in text: Span<UInt8>, from start: Int?, _ scan: inout SecretScan) -> Range<Int>? {
        guard var index = start else { return nil }
        let slashes = text.endOfRun(from: index) { $0 == UInt8(ascii: "\\") } - index
        let quote = text.byte(at: index + slashes)
        if quote.isQuote { index += slashes + 1 }
        let user = index
        while index < text.count, index - user < 128,
            text[index].isNameByte || text[index] == UInt8(ascii: "@")
                || text[index] == UInt8(ascii: "$")
        {
            index += 1
        }
        scan.work += index - user
        guard text.byte(at: index) == UInt8(ascii: ":"), !text.has("://", at: index) else { return nil }
        let valueStart = index + 1
        let end = text.endOfRun(from: valueStart) { byte in
            byte > 0x20 && byte != UInt8(ascii: "\\") && (quote.isQuote ? byte != quote : !byte.isQuote)
                && byte != UInt8(ascii: "`")
        }
        scan.work += end - valueStart
        guard end > valueStart, !SecretValue.isPlaceholder(in: text, at: valueStart, quote.isQuote ? quote : 0) else {
            return nil
        }
        for position in valueStart..<end where !text[position].isASCIIDigit { return valueStart..<end }
        for position in user..<(valueStart - 1) where !text[position].isASCIIDigit { return valueStart..<end }
        return nil
    }
}
