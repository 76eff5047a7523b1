internal import JSON

/// Recognizes text that only programs read, such as images and other files in base64.
enum Base64Blob {
    private static let sampleBytes = 1000

    /// Returns the replacement for a blob, or `nil` if the text does not look like one.
    static func marker(for text: Span<UInt8>) -> [UInt8]? {
        let start = dataURLPrefix(of: text)
        var hasUpper = false
        var hasLower = false
        var hasDigit = false
        for index in start..<min(start + sampleBytes, text.count) {
            let byte = text[index]
            hasUpper = hasUpper || byte.isASCIIUpper
            hasLower = hasLower || byte.isASCIILower
            hasDigit = hasDigit || byte.isASCIIDigit
            guard byte.isTokenByte || isOther(byte) else { return nil }
        }
        guard hasUpper, hasLower, hasDigit else { return nil }
        var marker: [UInt8] = []
        marker.append(copying: text.extracting(0..<start))
        marker.append(contentsOf: "[\(text.count - start) bytes omitted]".utf8)
        return SecretMasker.masked(marker)
    }

    private static func isOther(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "=") || byte == 0x0A
            || byte == 0x0D
    }

    /// `data:image/png;base64,` (RFC 2397).
    private static func dataURLPrefix(of text: Span<UInt8>) -> Int {
        guard text.has("data:", at: 0) else { return 0 }
        for index in 5..<min(100, text.count) where text[index] == UInt8(ascii: ",") { return index + 1 }
        return 0
    }
}
