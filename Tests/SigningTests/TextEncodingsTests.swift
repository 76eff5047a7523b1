import Signing
import Testing

@Suite struct TextEncodingsTests {
    @Test func eachByteIsTwoLowercaseDigits() {
        #expect(Hex.encode([0, 0x0F, 0xA0, 0xFF]) == "000fa0ff")
        #expect(Hex.encode([]) == "")
    }

    @Test func randomTextHasDigitsAndLettersOnly() {
        var random = SystemRandomNumberGenerator()
        let text = Base62.random(1000, using: &random)
        #expect(text.count == 1000)
        #expect(text.allSatisfy(Base62.alphabet.contains))
        #expect(Set(text).count > 50)
    }
}
