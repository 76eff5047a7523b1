import Signing
import Testing

@Suite("AES256GCM")
struct AES256GCMTests {
    /// "The Galois/Counter Mode of Operation", test case 16.
    @Test("a published case, there and back")
    func published() throws {
        let key = bytes(hex: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308")
        let nonce = bytes(hex: "cafebabefacedbaddecaf888")
        let context = bytes(hex: "feedfacedeadbeeffeedfacedeadbeefabaddad2")
        let plaintext = bytes(
            hex: """
                d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525
                b16aedf5aa0de657ba637b39
                """
        )
        let expected = bytes(
            hex: """
                522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838
                c5f61e6393ba7a0abcc9f662 76fc6ece0f4e1768cddf8853bb2d551b
                """
        )
        let cipher = try AES256GCM(key: key)
        let sealed = try cipher.seal(plaintext, nonce: nonce, authenticating: context)
        #expect(sealed == expected)
        #expect(try cipher.open(sealed, nonce: nonce, authenticating: context) == plaintext)
    }

    @Test("every changed bit is noticed, and so is another context")
    func tampering() throws {
        let cipher = try AES256GCM(key: SecureRandom.bytes(32))
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
        #expect(throws: SigningError.self) { try AES256GCM(key: [1]) }
    }

    @Test("its description holds nothing of the key")
    func description() throws {
        let cipher = try AES256GCM(key: [UInt8](repeating: 77, count: 32))
        #expect("\(cipher)\(String(reflecting: cipher))".contains("77") == false)
    }

    @Test("an empty message seals to its tag")
    func empty() throws {
        let cipher = try AES256GCM(key: [UInt8](repeating: 0, count: 32))
        let nonce = [UInt8](repeating: 0, count: 12)
        let sealed = try cipher.seal([], nonce: nonce, authenticating: [])
        #expect(sealed == bytes(hex: "530f8afbc74536b9a963b4f1c4cb738b"))
        #expect(try cipher.open(sealed, nonce: nonce, authenticating: []) == [])
    }
}
