import Testing

@testable import Access

@Suite("Machine key")
struct MachineKeyTests {
    @Test("a generated key has its form and reads back")
    func generated() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<100 {
            let key = MachineKey.generate(using: &random)
            #expect(key.text.count == 40)
            #expect(MachineKey(key.text) == key)
            #expect(!key.description.contains(key.text.suffix(20)))
        }
    }

    @Test("every single wrong character is noticed")
    func mistyped() throws {
        var random = SystemRandomNumberGenerator()
        let key = Array(MachineKey.generate(using: &random).text)
        for position in key.indices {
            var wrong = key
            wrong[position] = key[position] == "x" ? "y" : "x"
            #expect(MachineKey(String(wrong)) == nil, "position \(position)")
        }
        #expect(MachineKey(String(key.dropLast())) == nil)
        #expect(MachineKey(String(key) + "0") == nil)
        #expect(MachineKey("") == nil)
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
