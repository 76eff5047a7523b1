import Signing
import Testing

func bytes(hex: String) -> [UInt8] {
    let digits = Array(hex.filter { !$0.isWhitespace })
    return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
}

@Suite("Digest")
struct DigestTests {
    @Test("SHA-256 of abc (FIPS 180-4 examples)")
    func sha256() {
        let expected = bytes(hex: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(Digest.sha256(Array("abc".utf8)) == expected)
        #expect(Digest.sha256([]).count == 32)
    }

    @Test("HMAC (RFC 4231, case 2), and an empty key after another")
    func hmac() throws {
        let expected = bytes(hex: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        let message = Array("what do ya want for nothing?".utf8)
        #expect(try Digest.hmacSHA256(key: Array("Jefe".utf8), message) == expected)
        let empty = bytes(hex: "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
        #expect(try Digest.hmacSHA256(key: [], []) == empty)
    }

    @Test("HKDF (RFC 5869, cases 1 and 3)")
    func hkdf() throws {
        let secret = [UInt8](repeating: 0x0B, count: 22)
        let first = try Digest.hkdf(
            secret: secret,
            salt: bytes(hex: "000102030405060708090a0b0c"),
            info: bytes(hex: "f0f1f2f3f4f5f6f7f8f9"),
            count: 42
        )
        let expected = bytes(
            hex: "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
        )
        #expect(first == expected)
        let third = try Digest.hkdf(secret: secret, salt: [], info: [], count: 42)
        let expectedThird = bytes(
            hex: "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
        )
        #expect(third == expectedThird)
        #expect(throws: SigningError.self) { try Digest.hkdf(secret: secret, salt: [], info: [], count: 8161) }
    }
}
