internal import JSON

/// Replaces what looks like a credential by its public prefix and `***`.
///
/// One pass over the bytes. Each rule looks a bounded distance around the place that woke it, or consumes what it read,
/// so the time is linear in the text.
enum SecretMasker {
    private static let mask = [UInt8]("***".utf8)

    /// `nil` if there is nothing to mask.
    static func masked(_ text: Span<UInt8>) -> [UInt8]? {
        var output: [UInt8] = []
        var copied = 0
        var index = 0
        while index < text.count {
            guard let secret = secret(in: text, at: index) else {
                index += 1
                continue
            }
            output.append(copying: text.extracting(copied..<secret.lowerBound))
            output.append(contentsOf: mask)
            copied = secret.upperBound
            index = secret.upperBound
        }
        guard copied > 0 else { return nil }
        output.append(copying: text.extracting(copied..<text.count))
        return output
    }

    static func masked(_ text: [UInt8]) -> [UInt8] {
        masked(text.span) ?? text
    }

    /// The bytes to hide of a secret that is announced at `index`.
    @inline(__always)
    private static func secret(in text: Span<UInt8>, at index: Int) -> Range<Int>? {
        switch text[index] {
        case UInt8(ascii: "="), UInt8(ascii: ":"): SecretAssignment.value(in: text, at: index)
        case UInt8(ascii: "-") where index + 1 < text.count && text[index + 1] == UInt8(ascii: "-"):
            SecretAssignment.flagValue(in: text, at: index) ?? PEMBlock.body(in: text, at: index)
        case UInt8(ascii: "s"), UInt8(ascii: "g"), UInt8(ascii: "x"), UInt8(ascii: "c"), UInt8(ascii: "e"),
            UInt8(ascii: "n"), UInt8(ascii: "h"), UInt8(ascii: "r"), UInt8(ascii: "w"), UInt8(ascii: "A"),
            UInt8(ascii: "b"), UInt8(ascii: "B"):
            ProviderKey.canBegin(in: text, at: index) ? ProviderKey.secret(in: text, at: index) : nil
        default: nil
        }
    }
}

/// `-----BEGIN … PRIVATE KEY-----` up to its end line, or to the end of the text.
private enum PEMBlock {
    private static let maxLabelBytes = 64

    static func body(in text: Span<UInt8>, at index: Int) -> Range<Int>? {
        guard text.has("-----BEGIN ", at: index) else { return nil }
        let start = index + 11
        for position in start..<min(start + maxLabelBytes, text.count)
        where text.has("PRIVATE KEY", at: position) {
            let bodyStart = min(position + 16, text.count)
            var end = bodyStart
            while end < text.count, !text.has("-----END ", at: end) { end += 1 }
            return bodyStart < end ? bodyStart..<end : nil
        }
        return nil
    }
}

extension Span<UInt8> {
    func has(_ word: String, at index: Int) -> Bool {
        guard index + word.utf8.count <= count else { return false }
        var position = index
        for byte in word.utf8 {
            guard self[position] == byte else { return false }
            position += 1
        }
        return true
    }

    /// The end of the run of bytes from `index` on that satisfy `condition`.
    func endOfRun(from index: Int, _ condition: (UInt8) -> Bool) -> Int {
        var end = index
        while end < count, condition(self[end]) { end += 1 }
        return end
    }
}

extension UInt8 {
    var isASCIIDigit: Bool { UInt8(ascii: "0") <= self && self <= UInt8(ascii: "9") }
    var isASCIIUpper: Bool { UInt8(ascii: "A") <= self && self <= UInt8(ascii: "Z") }
    var isASCIILower: Bool { UInt8(ascii: "a") <= self && self <= UInt8(ascii: "z") }
    var isASCIIAlphanumeric: Bool { isASCIIDigit || isASCIIUpper || isASCIILower }
    var lowercasedASCII: UInt8 { isASCIIUpper ? self | 0x20 : self }
    /// The base64url alphabet, which most tokens are written in.
    var isTokenByte: Bool { isASCIIAlphanumeric || self == UInt8(ascii: "-") || self == UInt8(ascii: "_") }
}
