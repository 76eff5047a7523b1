import Testing

@testable import Signing

@Suite struct Base64Tests {
    @Test("both alphabets are read, with and without padding")
    func reading() {
        #expect(Base64.decode("+/8=") == [0xFB, 0xFF])
        #expect(Base64.decode("-_8") == [0xFB, 0xFF])
        #expect(Base64.decode("") == [])
        #expect(Base64.decode("A") == nil)
        #expect(Base64.decode("a b") == nil)
    }

    @Test("the examples of RFC 4648 section 10")
    func writing() {
        let examples = [
            "": "", "f": "Zg==", "fo": "Zm8=", "foo": "Zm9v", "foob": "Zm9vYg==", "fooba": "Zm9vYmE=",
            "foobar": "Zm9vYmFy",
        ]
        for (plain, text) in examples {
            #expect(Base64.encode(Array(plain.utf8)) == text)
            #expect(Base64.decode(text) == Array(plain.utf8))
        }
        let all = (0...255).map { UInt8($0) }
        #expect(Base64.decode(Base64.encode(all)) == all)
    }
}
