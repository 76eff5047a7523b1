/// Converts between the two forms of a P-256 signature: DER, which libcrypto uses, and that of JSON Web Signatures.
///
/// DER (RFC 3279 section 2.2.3): `30 len 02 len r 02 len s`, integers signed and as short as possible.
/// JWS (RFC 7518 section 3.4): r and s, each 32 bytes with leading zeros.
enum ECDSASignature {
    static let rawLength = 64
    private static let half = 32

    static func raw(fromDER der: [UInt8]) -> [UInt8]? {
        var reader = DERReader(der[...])
        guard var body = reader.element(0x30), reader.isAtEnd,
            let r = body.positiveInteger(length: half), let s = body.positiveInteger(length: half), body.isAtEnd
        else { return nil }
        return r + s
    }

    static func der(fromRaw raw: [UInt8]) -> [UInt8]? {
        guard raw.count == rawLength else { return nil }
        let body = integer(raw[..<half]) + integer(raw[half...])
        return [0x30, UInt8(body.count)] + body
    }

    private static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var digits = Array(bytes.drop { $0 == 0 })
        if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
        return [0x02, UInt8(digits.count)] + digits
    }
}

private struct DERReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    /// Reads an element with this tag and fewer than 128 bytes, and returns its content.
    mutating func element(_ tag: UInt8) -> DERReader? {
        guard rest.count >= 2, rest[rest.startIndex] == tag else { return nil }
        let length = Int(rest[rest.startIndex + 1])
        guard length < 0x80, rest.count >= 2 + length else { return nil }
        let content = rest.dropFirst(2).prefix(length)
        rest = rest.dropFirst(2 + length)
        return DERReader(content)
    }

    mutating func positiveInteger(length: Int) -> [UInt8]? {
        guard let content = element(0x02)?.rest, let first = content.first, first < 0x80 else { return nil }
        let isPadded = first == 0 && content.count > 1
        if isPadded, content[content.startIndex + 1] < 0x80 { return nil }
        let digits = isPadded ? content.dropFirst() : content
        guard digits.count <= length else { return nil }
        return [UInt8](repeating: 0, count: length - digits.count) + digits
    }
}
