import Signing
import Testing

@Suite("Ed25519PublicKey")
struct Ed25519PublicKeyTests {
    /// RFC 8032 section 7.1, TEST 3.
    private static let key = "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025"
    private static let message: [UInt8] = [0xAF, 0x82]
    private static let signature =
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
        + "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"

    private func bytes(_ text: String) -> [UInt8] {
        stride(from: 0, to: text.utf8.count, by: 2).compactMap { offset in
            let start = text.index(text.startIndex, offsetBy: offset)
            return UInt8(text[start..<text.index(start, offsetBy: 2)], radix: 16)
        }
    }

    @Test("the example of the standard verifies, and nothing else does")
    func standardExample() throws {
        let key = try Ed25519PublicKey(raw: bytes(Self.key))
        var signature = bytes(Self.signature)
        #expect(try key.isValid(signature, of: Self.message))
        #expect(try !key.isValid(signature, of: Self.message + [0]))
        #expect(try !key.isValid(signature, of: []))
        signature[5] ^= 1
        #expect(try !key.isValid(signature, of: Self.message))
        #expect(try !key.isValid([], of: Self.message))
        #expect(try !key.isValid([UInt8](repeating: 0, count: 64), of: Self.message))
        #expect(try !key.isValid(bytes(Self.signature) + [0], of: Self.message))
    }

    @Test("a key has 32 bytes", arguments: [0, 31, 33])
    func length(count: Int) {
        #expect(throws: SigningError.self) { try Ed25519PublicKey(raw: [UInt8](repeating: 1, count: count)) }
    }
}
