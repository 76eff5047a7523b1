import Foundation
import Signing
import Testing

@Suite("Base64URL")
struct Base64URLTests {
    @Test("agrees with another implementation for all lengths")
    func agrees() {
        var random = SystemRandomNumberGenerator()
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            let expected = Data(bytes).base64EncodedString()
                .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
            #expect(Base64URL.encode(bytes) == expected)
            #expect(Base64URL.decode(expected) == bytes)
        }
    }

    @Test("refuses", arguments: ["=", "AA==", "A", "A+", "A/", "AB", "AAB", "A\u{e9}", "AA AA", "AAAAA"])
    func refuses(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }
}
