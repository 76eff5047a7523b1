import Signing
import Testing

@Suite("AESGCM")
struct AESGCMTests {
    private static let key = "feffe9928665731c6d6a8f9467308308"
    private static let plaintext = bytes(
        hex: """
            d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525
            b16aedf5aa0de657ba637b39
            """
    )

    /// "The Galois/Counter Mode of Operation" (McGrew and Viega, appendix B), test cases 4 and 16.
    @Test(
        "published cases, there and back",
        arguments: [
            (
                AESGCM.KeySize.bits128, key,
                """
                42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa05
                1ba30b396a0aac973d58e091 5bc94fbc3221a5db94fae95ae7121a47
                """
            ),
            (
                .bits256, key + key,
                """
                522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838
                c5f61e6393ba7a0abcc9f662 76fc6ece0f4e1768cddf8853bb2d551b
                """
            ),
        ]
    )
    func published(size: AESGCM.KeySize, key: String, expected: String) throws {
        let nonce = bytes(hex: "cafebabefacedbaddecaf888")
        let context = bytes(hex: "feedfacedeadbeeffeedfacedeadbeefabaddad2")
        let cipher = try AESGCM(size, key: bytes(hex: key))
        let sealed = try cipher.seal(AESGCMTests.plaintext, nonce: nonce, authenticating: context)
        #expect(sealed == bytes(hex: expected))
        #expect(try cipher.open(sealed, nonce: nonce, authenticating: context) == AESGCMTests.plaintext)
    }

    @Test("an empty message seals to its tag")
    func empty() throws {
        let cipher = try AESGCM(.bits256, key: [UInt8](repeating: 0, count: 32))
        let nonce = [UInt8](repeating: 0, count: 12)
        let sealed = try cipher.seal([], nonce: nonce, authenticating: [])
        #expect(sealed == bytes(hex: "530f8afbc74536b9a963b4f1c4cb738b"))
        #expect(try cipher.open(sealed, nonce: nonce, authenticating: []) == [])
    }

    @Test("keys of another size are refused", arguments: [0, 1, 15, 16, 24, 32, 33])
    func keySize(count: Int) {
        let key = [UInt8](repeating: 0, count: count)
        if count != 16 { #expect(throws: SigningError.self) { try AESGCM(.bits128, key: key) } }
        if count != 32 { #expect(throws: SigningError.self) { try AESGCM(.bits256, key: key) } }
    }

    @Test("every changed bit is noticed, and so is another context", arguments: [AESGCM.KeySize.bits128, .bits256])
    func tampering(size: AESGCM.KeySize) throws {
        let cipher = try AESGCM(size, key: SecureRandom.bytes(size.rawValue / 8))
        let nonce = try SecureRandom.bytes(12)
        let sealed = try cipher.seal([1, 2, 3], nonce: nonce, authenticating: [])
        #expect(try cipher.open(sealed, nonce: nonce, authenticating: []) == [1, 2, 3])
        for bit in 0..<(sealed.count * 8) {
            var changed = sealed
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: SigningError.self) { try cipher.open(changed, nonce: nonce, authenticating: []) }
        }
        #expect(throws: SigningError.self) { try cipher.open(sealed, nonce: nonce, authenticating: [1]) }
        #expect(throws: SigningError.self) { try cipher.open([1], nonce: nonce, authenticating: []) }
    }

    @Test("its description holds nothing of the key")
    func description() throws {
        let cipher = try AESGCM(.bits256, key: [UInt8](repeating: 77, count: 32))
        var dumped = ""
        dump(cipher, to: &dumped)
        #expect("\(cipher)\(String(reflecting: cipher))\(dumped)".contains("77") == false)
    }
}
