internal import JSON

/// Masks secrets, cuts long strings and leaves blobs out, member by member.
struct PayloadRewriting: JSONRewriting {
    /// Scalars of an identifier that are kept whatever the other limit.
    static let maxIdentifierLength = 200
    private static let minBlobBytes = 1000
    private static let masked = [UInt8]("***".utf8)

    /// Unicode scalars of a string that are kept.
    var maxStringLength: Int
    var dropsContent: Bool
    private var isIdentifier = false

    init(maxStringLength: Int, dropsContent: Bool) {
        self.maxStringLength = maxStringLength
        self.dropsContent = dropsContent
    }

    mutating func member(_ name: JSONElement, value: JSONElement, depth: Int) -> JSONMemberDecision {
        isIdentifier = false
        if depth == 0 {
            if PayloadMember.isIdentifier(name) {
                isIdentifier = value.kind == .string
                return .keep
            }
            if dropsContent, PayloadMember.isContent(name) { return .drop }
        }
        if name.withUTF8(SecretName.matches) == true, PayloadRewriting.canHoldSecret(value) {
            return .replace(PayloadRewriting.masked)
        }
        return rename(name)
    }

    mutating func replacement(for string: JSONElement) -> [UInt8]? {
        let limit = isIdentifier ? PayloadRewriting.maxIdentifierLength : maxStringLength
        isIdentifier = false
        return string.withUTF8 { shortened($0, limit: limit) } ?? nil
    }

    private func shortened(_ text: Span<UInt8>, limit: Int) -> [UInt8]? {
        if text.count > PayloadRewriting.minBlobBytes, let marker = Base64Blob.marker(for: text) { return marker }
        guard text.count > limit else { return SecretMasker.masked(text) }
        guard let end = TextCut.end(of: text, limit: limit) else { return SecretMasker.masked(text) }
        if dropsContent { return Array("[\(text.count) bytes omitted]".utf8) }
        return maskedExcerpt(of: text, end: end, limit: limit)
    }

    /// A secret may start before the cut and end behind it, so some bytes more than are kept are looked at.
    private func maskedExcerpt(of text: Span<UInt8>, end: Int, limit: Int) -> [UInt8]? {
        let seen = TextCut.scalarBoundary(in: text, atOrBefore: end + 512)
        guard let masked = SecretMasker.masked(text.extracting(0..<seen)) else {
            return TextCut.excerpt(of: text, limit: limit)
        }
        var output = masked
        if let end = TextCut.end(of: masked.span, limit: limit) { output.removeLast(masked.count - end) }
        let omitted = TextCut.scalarCount(text.extracting(end..<text.count))
        output.append(contentsOf: "… [+\(omitted) chars]".utf8)
        return output
    }

    private func rename(_ name: JSONElement) -> JSONMemberDecision {
        guard let length = name.utf8Count, length >= 16 else { return .keep }
        let other = name.withUTF8 { shortened($0, limit: maxStringLength) }
        if let other, let other { return .rename(other) }
        return .keep
    }

    private static func canHoldSecret(_ value: JSONElement) -> Bool {
        switch value.kind {
        case .string: value.utf8Count != 0
        case .true, .false, .null: false
        default: true
        }
    }
}

/// Text that only a program reads: images and other files in base64.
enum Base64Blob {
    private static let sampleBytes = 1000

    /// What to write instead of a blob; `nil` if the text does not look like one.
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
        return marker
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
