import Testing

@testable import Access

@Suite("Access key")
struct AccessKeyTests {
    @Test("a generated key has its form and reads back", arguments: AccessKey.Kind.allCases)
    func generated(_ kind: AccessKey.Kind) throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<100 {
            let key = AccessKey.generate(kind, using: &random)
            #expect(key.text.count == 40)
            #expect(AccessKey.Kind(claimedBy: key.text) == kind)
            #expect(AccessKey(key.text) == key)
            #expect(!key.description.contains(key.text.suffix(20)))
        }
    }

    @Test("every single wrong character is noticed")
    func mistyped() throws {
        var random = SystemRandomNumberGenerator()
        let key = Array(AccessKey.generate(.machine, using: &random).text)
        for position in key.indices {
            var wrong = key
            wrong[position] = key[position] == "x" ? "y" : "x"
            #expect(AccessKey(String(wrong)) == nil, "position \(position)")
        }
        #expect(AccessKey(String(key.dropLast())) == nil)
        #expect(AccessKey(String(key) + "0") == nil)
        #expect(AccessKey("") == nil)
    }

    @Test("the checksum is zlib's CRC-32")
    func checksum() {
        #expect(CRC32.checksum("123456789".utf8) == 0xCBF4_3926)
    }

    @Test("the digest is SHA-256")
    func digest() {
        let abc: [UInt8] = [0xBA, 0x78, 0x16, 0xBF, 0x8F, 0x01, 0xCF, 0xEA]
        #expect(SHA256Digest(of: "abc").bytes.starts(with: abc))
    }
}
