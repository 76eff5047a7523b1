import Access
import Testing

@Suite("PairingCode")
struct PairingCodeTests {
    private var random = SystemRandomNumberGenerator()

    @Test("a code has two groups of four and can be read back")
    mutating func form() throws {
        var seen: Set<String> = []
        for _ in 0..<500 {
            let code = PairingCode.generate(using: &random)
            #expect(code.text.utf8.count == 9)
            #expect(try #require(PairingCode(code.text)).digest == code.digest)
            seen.insert(code.text)
        }
        #expect(seen.count == 500)
        #expect(Set(seen.joined()).count == 33, "32 characters and the hyphen")
    }

    @Test("it may be typed carelessly")
    func careless() throws {
        let code = try #require(PairingCode("7K01-P9QX"))
        for typed in ["7k01p9qx", " 7KOI P9QX ", "7koL-p9qx", "7-K-0-1-P-9-Q-X"] {
            #expect(PairingCode(typed)?.digest == code.digest, "\(typed)")
        }
        #expect(code.text == "7K01-P9QX")
    }

    @Test(
        "what is no code",
        arguments: [
            "", "7K01-P9Q", "7K01-P9QXA", "7K01-P9QU", "7K01_P9QX", "ſK01-P9QX", String(repeating: "-", count: 99),
        ]
    )
    func wrong(text: String) {
        #expect(PairingCode(text) == nil)
    }

    @Test("neither a code nor a token tells itself when it is printed")
    mutating func silent() {
        let code = PairingCode.generate(using: &random)
        #expect(!"\(code)".contains(code.text))
        let token = OpaqueToken.generate(.refresh, using: &random)
        #expect("\(token)" == "cmr_…")
    }

    @Test("a token is of one kind and of one length")
    mutating func tokens() {
        let refresh = OpaqueToken.generate(.refresh, using: &random)
        #expect(OpaqueToken(refresh.text, kind: .refresh)?.digest == refresh.digest)
        #expect(OpaqueToken(refresh.text, kind: .pairing) == nil)
        #expect(OpaqueToken(refresh.text + "x", kind: .refresh) == nil)
        #expect(OpaqueToken(String(refresh.text.dropLast()) + "-", kind: .refresh) == nil)
        let pairing = OpaqueToken.generate(.pairing, using: &random)
        #expect(OpaqueToken(pairing.text, kind: .pairing) == pairing)
        #expect(pairing.cdevText.hasPrefix("cdev_p_"))
        #expect(OpaqueToken(pairing.cdevText, kind: .pairing) == pairing)
        #expect(OpaqueToken(pairing.cdevText, kind: .pairing)?.digest == pairing.digest)
        #expect(OpaqueToken("cdev_p_" + pairing.text, kind: .pairing) == nil)
        #expect(OpaqueToken("cdev_p_" + refresh.text.dropFirst(4), kind: .refresh) == nil)
    }
}
