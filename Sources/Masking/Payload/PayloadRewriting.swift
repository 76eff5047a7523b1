package import JSON

/// Masks secrets, cuts long strings and omits blobs, member by member.
package struct PayloadRewriting: JSONRewriting {
    /// Number of scalars of an identifier that are kept, whatever `maxStringLength`.
    static let maxIdentifierLength = 200
    private static let minBlobBytes = 1000
    /// Bytes read after a cut, so that a secret that begins before the cut is recognized as a whole.
    private static let overlap = 512

    /// Number of Unicode scalars of a string that are kept. `nil` keeps all of them, and blobs.
    var maxStringLength: Int?
    var dropsContent: Bool
    /// What could be code is not masked. For prompts, whose content is not cut.
    package var keepsCode = false
    private var isIdentifier = false
    private var secrets = SecretMembers()

    package init(maxStringLength: Int?, dropsContent: Bool) {
        self.maxStringLength = maxStringLength
        self.dropsContent = dropsContent
    }

    package mutating func begin(_ container: JSONElement, depth: Int) { secrets.begin(container, depth: depth) }

    package mutating func member(_ name: JSONElement, value: JSONElement, depth: Int) -> JSONMemberDecision {
        isIdentifier = false
        secrets.endItems()
        if depth == 0 {
            switch PayloadMember.role(of: name) {
            case .identifier:
                // No identifier member has the name of a secret.
                isIdentifier = value.kind == .string
                return .keep
            case .content where dropsContent: return .drop
            default: break
            }
        }
        let isSecret = secrets.isSecret(name, value: value, depth: depth) && (!keepsCode || InertText.isInert(value))
        let other = masked(name: name)
        if isSecret { return .replace(SecretMasker.mask, name: other) }
        return other.map { .rename($0) } ?? .keep
    }

    package mutating func replacement(for string: JSONElement) -> [UInt8]? {
        let limit = isIdentifier ? PayloadRewriting.maxIdentifierLength : maxStringLength
        isIdentifier = false
        if let masked = secrets.argument(string), !keepsCode || InertText.isInert(string) { return masked }
        return string.withUTF8 { shortened($0, limit: maxStringLength == nil ? nil : limit) } ?? nil
    }

    private func shortened(_ text: Span<UInt8>, limit: Int?) -> [UInt8]? {
        guard let limit else { return keepsCode ? SecretMasker.maskedExceptCode(text) : SecretMasker.masked(text) }
        if text.count > PayloadRewriting.minBlobBytes, let marker = Base64Blob.marker(for: text) { return marker }
        guard text.count > limit else { return SecretMasker.masked(text) }
        guard let end = TextCut.end(of: text, limit: limit) else { return SecretMasker.masked(text) }
        if dropsContent { return Array("[\(text.count) bytes omitted]".utf8) }
        return maskedExcerpt(of: text, end: end, limit: limit)
    }

    private func maskedExcerpt(of text: Span<UInt8>, end: Int, limit: Int) -> [UInt8]? {
        let seen = TextCut.scalarBoundary(in: text, atOrBefore: end + PayloadRewriting.overlap)
        guard let masked = SecretMasker.masked(text.extracting(0..<seen)) else {
            return TextCut.excerpt(of: text, limit: limit)
        }
        var output = masked
        if let end = TextCut.end(of: masked.span, limit: limit) { output.removeLast(masked.count - end) }
        if seen < text.count {
            // Masking shortens the text, which moves its end forward. The end may be half of the next secret.
            let certain = TextCut.scalarBoundary(in: masked.span, atOrBefore: max(0, masked.count - 128))
            if output.count > certain { output.removeLast(output.count - certain) }
        }
        let omitted = TextCut.scalarCount(text.extracting(end..<text.count))
        output.append(contentsOf: "… [+\(omitted) chars]".utf8)
        return output
    }

    private func masked(name: JSONElement) -> [UInt8]? {
        name.withUTF8 { text in
            PayloadRewriting.isPlain(text) ? nil : shortened(text, limit: maxStringLength)
        } ?? nil
    }

    /// Whether the name has only lower-case letters and underscores, like most names. Such a name needs no masking or
    /// cutting.
    private static func isPlain(_ name: Span<UInt8>) -> Bool {
        guard name.count <= 64 else { return false }
        for index in name.indices where !name[index].isASCIILower && name[index] != UInt8(ascii: "_") { return false }
        return true
    }
}
