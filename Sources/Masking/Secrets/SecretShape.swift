/// Secrets that are recognized by their structure or their context.
enum SecretShape: Sendable {
    case privateKey, jsonWebToken, bearer, basic, userInfo, userOption, netrc, pgpass, telegram, discord
    case azureClientSecret

    /// The texts that trigger shapes at the beginning of a word. Other shapes are triggered by a punctuation mark.
    var beginnings: [String] {
        switch self {
        case .jsonWebToken: ["eyJ"]
        case .bearer: ["Bearer ", "bearer ", "BEARER ", "Bearer%20", "Bearer+"]
        case .basic: ["Basic ", "basic ", "Basic%20"]
        case .netrc: ["password ", "password\t"]
        case .discord:
            ["M", "N", "O"].flatMap { first in SecretShape.base62.map { first + String($0) } }
        case .privateKey, .userInfo, .userOption, .pgpass, .telegram, .azureClientSecret: []
        }
    }

    private static let base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

    /// Returns the range of the secret whose trigger is at `index`.
    ///
    /// - Parameter start: the first byte after the trigger.
    func secret(in text: Span<UInt8>, at index: Int, from start: Int, _ scan: inout SecretScan) -> Range<Int>? {
        switch self {
        case .jsonWebToken: SecretShape.jsonWebToken(in: text, at: index, from: start, &scan)
        case .bearer: SecretShape.bearerToken(in: text, from: start, &scan)
        case .basic: SecretShape.basicCredentials(in: text, from: start, &scan)
        case .netrc: SecretShape.netrcPassword(in: text, at: index, from: start, &scan)
        case .discord: SecretShape.discordToken(in: text, at: index, &scan)
        case .privateKey, .userInfo, .userOption, .pgpass, .telegram, .azureClientSecret: nil
        }
    }

    // MARK: - Private keys (RFC 7468)

    private static let maxLabelBytes = 64

    /// `-----BEGIN … PRIVATE KEY-----` up to its end line, or to the end of the text. `index`: the start of a run of
    /// hyphens.
    static func privateKeyBody(in text: Span<UInt8>, at index: Int, _ scan: inout SecretScan) -> Range<Int>? {
        let label = text.endOfRun(from: index) { $0 == UInt8(ascii: "-") }
        guard label - index >= 4, let start = bodyStart(in: text, label: label) else { return nil }
        var end = start
        while end < text.count, text[end] != UInt8(ascii: "-") || !text.has("-----END ", at: end) { end += 1 }
        scan.work += end - index
        return start < end && !isMasked(text, start) ? start..<end : nil
    }

    static func isPrivateKey(in text: Span<UInt8>, at index: Int) -> Bool {
        guard text.byte(at: index) == UInt8(ascii: "-"), text.has("-----BEGIN ", at: index) else { return false }
        return bodyStart(in: text, label: index + 5) != nil
    }

    /// The start of the body after the label that begins at `label`.
    private static func bodyStart(in text: Span<UInt8>, label: Int) -> Int? {
        var position = text.has(" ", at: label) ? label + 1 : label
        guard text.has("BEGIN ", at: position) else { return nil }
        position += 6
        let bound = min(position + maxLabelBytes, text.count)
        while position < bound, isLabelByte(text[position]) {
            if text[position] == UInt8(ascii: "P"), text.has("PRIVATE KEY", at: position) {
                let end = position + 11
                let hyphens = text.has(" BLOCK", at: end) ? end + 6 : end
                return min(
                    text.endOfRun(from: text.has(" -", at: hyphens) ? hyphens + 1 : hyphens) {
                        $0 == UInt8(ascii: "-")
                    },
                    text.count
                )
            }
            position += 1
        }
        return nil
    }

    /// Excludes `*`: a label with masked bytes must not match when the text is masked again.
    private static func isLabelByte(_ byte: UInt8) -> Bool { byte.isASCIIUpper || byte.isASCIIDigit || byte == 0x20 }

    private static func isMasked(_ text: Span<UInt8>, _ index: Int) -> Bool {
        text.has("***", at: index) && (index + 3 >= text.count || text.has("-----END ", at: index + 3))
    }

    // MARK: - Tokens

    /// Three base64url parts, the first a JSON object (RFC 7519 section 3.1).
    private static func jsonWebToken(in text: Span<UInt8>, at index: Int, from start: Int, _ scan: inout SecretScan)
        -> Range<Int>?
    {
        guard text.beginsToken(at: index), !scan.noWebToken.contains(index) else { return nil }
        let headerEnd = scan.run(of: .token, in: text, from: start)
        if headerEnd - start >= 8, text.byte(at: headerEnd) == UInt8(ascii: ".") {
            let end = scan.run(of: .dotted, in: text, from: headerEnd)
            if end - headerEnd >= 8 { return start..<end }
        }
        // Anything that begins later in the same run has the same end.
        scan.noWebToken = index..<headerEnd
        return nil
    }

    /// RFC 6750 section 2.1. A word of letters only after "bearer" is prose unless it is long.
    private static func bearerToken(in text: Span<UInt8>, from start: Int, _ scan: inout SecretScan) -> Range<Int>? {
        let end = scan.run(of: .path, in: text, from: start)
        return end - start >= (hasDigit(text, start..<end) ? 8 : 24) ? start..<end : nil
    }

    /// RFC 7617 section 2: base64 of `user:password`.
    private static func basicCredentials(in text: Span<UInt8>, from start: Int, _ scan: inout SecretScan)
        -> Range<Int>?
    {
        let end = scan.run(of: .base64, in: text, from: start)
        guard end - start >= 8, end > start else { return nil }
        return text[end - 1] == UInt8(ascii: "=") || end - start >= 12 && hasDigit(text, start..<end)
            ? start..<end : nil
    }

    private static func hasDigit(_ text: Span<UInt8>, _ range: Range<Int>) -> Bool {
        for index in range where text[index].isASCIIDigit { return true }
        return false
    }

    /// A user number in base64, a time and a signature, separated by dots.
    private static func discordToken(in text: Span<UInt8>, at index: Int, _ scan: inout SecretScan) -> Range<Int>? {
        let userEnd = scan.run(of: .token, in: text, from: index, limit: 32)
        guard (23...28).contains(userEnd - index), text.byte(at: userEnd) == UInt8(ascii: ".") else { return nil }
        let timeEnd = scan.run(of: .token, in: text, from: userEnd + 1, limit: 16)
        guard (6...7).contains(timeEnd - userEnd - 1), text.byte(at: timeEnd) == UInt8(ascii: ".") else { return nil }
        let end = scan.run(of: .token, in: text, from: timeEnd + 1)
        return end - timeEnd > 27 ? index..<end : nil
    }

    /// `123456789:AA…`. `colon` is the position of its colon.
    static func telegramToken(in text: Span<UInt8>, at colon: Int, _ scan: inout SecretScan) -> Range<Int>? {
        guard text.has("A", "A", at: colon + 1), text.byte(at: colon - 1).isASCIIDigit else { return nil }
        for offset in 2...6 where !text.byte(at: colon - offset).isASCIIDigit { return nil }
        let end = scan.run(of: .token, in: text, from: colon + 1)
        return end - colon > 30 ? (colon + 1)..<end : nil
    }

    /// Three bytes, a digit, `Q~` and 31 to 34 more bytes. `tilde` is the position of the tilde.
    static func azureClientSecret(in text: Span<UInt8>, at tilde: Int, _ scan: inout SecretScan) -> Range<Int>? {
        guard tilde >= scan.copied + 5, text[tilde - 1] == UInt8(ascii: "Q"), text[tilde - 2].isASCIIDigit else {
            return nil
        }
        for offset in 3...5 where !text[tilde - offset].isNameByte && text[tilde - offset] != UInt8(ascii: "~") {
            return nil
        }
        let end = scan.run(of: [.dotted, .tildePercent], in: text, from: tilde + 1)
        return end - tilde > 30 ? (tilde - 5)..<end : nil
    }
}
