internal import JSON

/// Replaces a likely credential by its public prefix and `***`.
///
/// Makes one pass over the bytes. Each rule reads a bounded distance around the place that triggered it, or consumes
/// what it read, so the time is linear in the length of the text.
public enum SecretMasker {
    static let mask = [UInt8]("***".utf8)
    /// The shortest text that can hold a secret: `token=a`.
    private static let minBytes = 6

    /// Returns `nil` if there is nothing to mask.
    package static func masked(_ text: Span<UInt8>) -> [UInt8]? {
        var work = 0
        return masked(text, work: &work)
    }

    /// Returns the text with its secrets masked. `text` must be UTF-8.
    public static func masked(_ text: [UInt8]) -> [UInt8] {
        masked(text.span) ?? text
    }

    package static func masked(_ text: String) -> String {
        masked(text.utf8.span).map { String(decoding: $0, as: UTF8.self) } ?? text
    }

    /// Adds the number of byte reads to `work`, including repeated ones.
    static func masked(_ text: Span<UInt8>, work: inout Int) -> [UInt8]? {
        masked(text, work: &work) { _, _ in nil }
    }

    /// Like `masked`, but what could be code stays visible, whatever is written around it. Secrets inside it are
    /// masked.
    static func maskedExceptCode(_ text: Span<UInt8>) -> [UInt8]? {
        var work = 0
        return maskedExceptCode(text, work: &work)
    }

    /// Adds the number of byte reads to `work`, including repeated ones.
    static func maskedExceptCode(_ text: Span<UInt8>, work: inout Int) -> [UInt8]? {
        masked(text, work: &work) { secret, work in
            if InertText.isInert(secret) { return nil }
            // The text inside is scanned once more and not again, so the time stays linear.
            let inner = masked(secret, work: &work) { inner, _ in InertText.isInert(inner) ? nil : copy(inner) }
            return inner ?? copy(secret)
        }
    }

    /// - Parameter replacement: the text that takes the place of a secret; `nil` for the mask.
    private static func masked(
        _ text: Span<UInt8>,
        work: inout Int,
        replacement: (Span<UInt8>, inout Int) -> [UInt8]?
    ) -> [UInt8]? {
        guard text.count >= minBytes else { return nil }
        var scan = SecretScan(table: .shared)
        var output: [UInt8] = []
        while let secret = scan.next(in: text) {
            output.append(copying: text.extracting(scan.copied..<secret.lowerBound))
            if let kept = replacement(text.extracting(secret), &work) {
                output.append(contentsOf: kept)
                scan.keep(secret)
            } else {
                output.append(contentsOf: mask)
                scan.pass(secret)
            }
        }
        work += scan.work + text.count
        guard scan.copied > 0 else { return nil }
        output.append(copying: text.extracting(scan.copied..<text.count))
        return output
    }

    private static func copy(_ text: Span<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(copying: text)
        return bytes
    }
}

extension Span<UInt8> {
    @inline(__always)
    func has(_ word: String, at index: Int) -> Bool {
        guard index >= 0, index + word.utf8.count <= count else { return false }
        var position = index
        for byte in word.utf8 {
            guard self[position] == byte else { return false }
            position += 1
        }
        return true
    }

    /// Same as above for two bytes, but faster.
    @inline(__always)
    func has(_ first: Unicode.Scalar, _ second: Unicode.Scalar, at index: Int) -> Bool {
        index >= 0 && index + 1 < count && self[index] == UInt8(ascii: first) && self[index + 1] == UInt8(ascii: second)
    }

    /// Returns 0 outside the text.
    func byte(at index: Int) -> UInt8 { index >= 0 && index < count ? self[index] : 0 }

    /// Whether a token can start at `index`, the start of a word. An underscore before `index` is usually not part of
    /// the token. A letter or a digit before `index` is the end of an escape sequence such as `\n`.
    ///
    /// - Parameter orName: an underscore counts as a part of the token.
    func beginsToken(at index: Int, orName: Bool = false) -> Bool {
        switch byte(at: index - 1) {
        case UInt8(ascii: "-"), UInt8(ascii: "."): false
        case UInt8(ascii: "_"): !orName
        default: true
        }
    }

    /// The end of the run of bytes from `index` that satisfy `condition`.
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
    var isASCIILetter: Bool { (self | 0x20).isASCIILower }
    var isASCIIAlphanumeric: Bool { isASCIIDigit || isASCIILetter }
    var isHexDigit: Bool { isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self | 0x20) }
    var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
    var isQuote: Bool { self == UInt8(ascii: "\"") || self == UInt8(ascii: "'") }
    var lowercasedASCII: UInt8 { isASCIIUpper ? self | 0x20 : self }
    /// The base64url alphabet, which most tokens use.
    var isTokenByte: Bool { isASCIIAlphanumeric || self == UInt8(ascii: "-") || self == UInt8(ascii: "_") }
    /// The characters of names in source code, headers and the environment.
    var isNameByte: Bool { isTokenByte || self == UInt8(ascii: ".") }
}
