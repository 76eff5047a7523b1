import Testing

@testable import Signing

@Suite("AES128GCM")
struct AES128GCMTests {
    private func bytes(_ hex: String) -> [UInt8] {
        let digits = Array(hex)
        return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
    }

    /// Test case 4 of the algorithm's specification (McGrew and Viega, appendix B).
    @Test("a published vector")
    func vector() throws {
        let cipher = try AES128GCM(key: bytes("feffe9928665731c6d6a8f9467308308"))
        let plaintext = bytes(
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
                + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
        )
        let context = bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2")
        let sealed = try cipher.seal(plaintext, nonce: bytes("cafebabefacedbaddecaf888"), authenticating: context)
        #expect(
            sealed
                == bytes(
                    "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
                        + "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091"
                        + "5bc94fbc3221a5db94fae95ae7121a47"
                )
        )
        #expect(
            try cipher.open(sealed, nonce: bytes("cafebabefacedbaddecaf888"), authenticating: context) == plaintext
        )
    }

    @Test("keys of another length are refused", arguments: [0, 15, 24, 32])
    func keyLength(count: Int) {
        #expect(throws: SigningError.self) { try AES128GCM(key: [UInt8](repeating: 0, count: count)) }
    }

    @Test("a changed byte is noticed")
    func changed() throws {
        let cipher = try AES128GCM(key: SecureRandom.bytes(16))
        let nonce = [UInt8](repeating: 1, count: 12)
        var sealed = try cipher.seal([1, 2, 3], nonce: nonce, authenticating: [])
        sealed[1] ^= 1
        #expect(throws: SigningError.self) { try cipher.open(sealed, nonce: nonce, authenticating: []) }
    }
}
