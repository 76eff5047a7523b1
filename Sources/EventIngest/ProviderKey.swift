/// Credentials that are known by how they begin.
enum ProviderKey {
    /// Not in the middle of a word.
    @inline(__always)
    static func canBegin(in text: Span<UInt8>, at index: Int) -> Bool {
        index == 0 || !text[index - 1].isASCIIAlphanumeric && text[index - 1] != UInt8(ascii: "_")
    }

    /// Asked where `canBegin`.
    static func secret(in text: Span<UInt8>, at index: Int) -> Range<Int>? {
        switch text[index] {
        case UInt8(ascii: "s"):
            return token("sk-ant-", 8, in: text, at: index) ?? token("sk-", 16, in: text, at: index)
                ?? token("sk_live_", 10, in: text, at: index) ?? token("sk_test_", 10, in: text, at: index)
        case UInt8(ascii: "g"):
            return gitToken(in: text, at: index)
        case UInt8(ascii: "x"):
            return slackToken(in: text, at: index)
        case UInt8(ascii: "c"): return token("cmk_", 16, in: text, at: index)
        case UInt8(ascii: "n"): return token("npm_", 20, in: text, at: index)
        case UInt8(ascii: "h"): return token("hf_", 20, in: text, at: index)
        case UInt8(ascii: "r"): return token("rk_live_", 10, in: text, at: index)
        case UInt8(ascii: "w"): return token("whsec_", 10, in: text, at: index)
        case UInt8(ascii: "A"):
            return accessKeyID("AKIA", in: text, at: index) ?? accessKeyID("ASIA", in: text, at: index)
                ?? token("AIza", 30, in: text, at: index)
        case UInt8(ascii: "e"): return jsonWebToken(in: text, at: index)
        default: return bearerToken(in: text, at: index)
        }
    }

    /// `prefix` followed by at least `minimum` token bytes.
    private static func token(_ prefix: String, _ minimum: Int, in text: Span<UInt8>, at index: Int) -> Range<Int>? {
        guard text.has(prefix, at: index) else { return nil }
        let start = index + prefix.utf8.count
        let end = text.endOfRun(from: start, \.isTokenByte)
        return end - start >= minimum ? start..<end : nil
    }

    private static func gitToken(in text: Span<UInt8>, at index: Int) -> Range<Int>? {
        guard index + 4 < text.count else { return nil }
        if text[index + 1] == UInt8(ascii: "h"), text[index + 3] == UInt8(ascii: "_") {
            switch text[index + 2] {
            case UInt8(ascii: "p"), UInt8(ascii: "o"), UInt8(ascii: "u"), UInt8(ascii: "s"), UInt8(ascii: "r"):
                let end = text.endOfRun(from: index + 4, \.isTokenByte)
                return end - index >= 20 ? (index + 4)..<end : nil
            default: return nil
            }
        }
        return token("github_pat_", 20, in: text, at: index) ?? token("glpat-", 16, in: text, at: index)
    }

    /// `xoxb-`, `xoxp-` and their like; `xapp-`.
    private static func slackToken(in text: Span<UInt8>, at index: Int) -> Range<Int>? {
        guard text.has("xox", at: index), index + 5 < text.count, text[index + 4] == UInt8(ascii: "-") else {
            return token("xapp-", 10, in: text, at: index)
        }
        let end = text.endOfRun(from: index + 5, \.isTokenByte)
        return end - index >= 13 ? (index + 5)..<end : nil
    }

    private static func accessKeyID(_ prefix: String, in text: Span<UInt8>, at index: Int) -> Range<Int>? {
        guard text.has(prefix, at: index) else { return nil }
        let start = index + prefix.utf8.count
        let end = text.endOfRun(from: start) { $0.isASCIIUpper || $0.isASCIIDigit }
        return end - start >= 12 ? start..<end : nil
    }

    /// Three base64url parts, the first a JSON object (RFC 7519 section 3.1).
    private static func jsonWebToken(in text: Span<UInt8>, at index: Int) -> Range<Int>? {
        guard text.has("eyJ", at: index), index == 0 || !isTokenPart(text[index - 1]) else { return nil }
        let start = index + 3
        let headerEnd = text.endOfRun(from: start, \.isTokenByte)
        guard headerEnd - start >= 8, headerEnd < text.count, text[headerEnd] == UInt8(ascii: ".") else { return nil }
        let end = text.endOfRun(from: headerEnd, isTokenPart)
        return end - headerEnd >= 8 ? start..<end : nil
    }

    private static func isTokenPart(_ byte: UInt8) -> Bool { byte.isTokenByte || byte == UInt8(ascii: ".") }

    /// RFC 6750 section 2.1. A word of plain letters after "bearer" is prose unless it is long.
    private static func bearerToken(in text: Span<UInt8>, at index: Int) -> Range<Int>? {
        guard text.has("earer ", at: index + 1) else { return nil }
        let start = index + 7
        var hasDigit = false
        let end = text.endOfRun(from: start) { byte in
            hasDigit = hasDigit || byte.isASCIIDigit
            return isTokenPart(byte) || byte == UInt8(ascii: "~") || byte == UInt8(ascii: "+")
                || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "=")
        }
        return end - start >= (hasDigit ? 8 : 24) ? start..<end : nil
    }
}
