import Testing

@testable import Signing

@Suite("ECDSASignature")
struct ECDSASignatureTests {
    @Test("short halves are padded in front, high bits survive")
    func forms() {
        let shortR: [UInt8] = [0x30, 0x08, 0x02, 0x01, 0x05, 0x02, 0x03, 0x00, 0x80, 0x01]
        let raw = ECDSASignature.raw(fromDER: shortR)
        let zeros = { [UInt8](repeating: 0, count: $0) }
        #expect(raw == zeros(31) + [5] + zeros(30) + [0x80, 0x01])
        #expect(raw.flatMap(ECDSASignature.der(fromRaw:)) == shortR)
    }

    @Test("random halves go there and back", arguments: [UInt64(1), 2, 3])
    func roundTrip(seed: UInt64) {
        var random = SeededGenerator(seed)
        for _ in 0..<2000 {
            let zeros = [Int.random(in: 0...31, using: &random), Int.random(in: 0...31, using: &random)]
            let raw = zeros.flatMap { zeros in
                [UInt8](repeating: 0, count: zeros)
                    + (0..<(32 - zeros)).map { _ in UInt8.random(in: 1...255, using: &random) }
            }
            #expect(ECDSASignature.der(fromRaw: raw).flatMap(ECDSASignature.raw(fromDER:)) == raw)
        }
    }

    @Test("cut, changed and random bytes never trap, and what is accepted is minimal DER")
    func fuzz() throws {
        let whole = try #require(ECDSASignature.der(fromRaw: [UInt8](repeating: 0xFF, count: 64)))
        for count in 0..<whole.count { #expect(ECDSASignature.raw(fromDER: Array(whole.prefix(count))) == nil) }
        #expect(ECDSASignature.raw(fromDER: whole + [0]) == nil)
        var random = SeededGenerator(4)
        for _ in 0..<50_000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if let raw = ECDSASignature.raw(fromDER: bytes) { #expect(ECDSASignature.der(fromRaw: raw) == bytes) }
        }
    }
}

struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    /// xorshift64*.
    mutating func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 0x2545_F491_4F6C_DD1D
    }
}
