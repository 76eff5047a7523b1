import Signing
import Testing

@testable import Access

@Suite struct WaitSealTests {
    @Test func onlyTheKeyOpensIt() throws {
        let (key, other) = (try ES256PrivateKey.generate(), try ES256PrivateKey.generate())
        let seal = try WaitSeal(key: key)
        let text = try seal.seal(Array("wait".utf8))
        #expect(try WaitSeal(key: key).open(text) == Array("wait".utf8))
        #expect(try WaitSeal(key: other).open(text) == nil)
        #expect(try seal.seal(Array("wait".utf8)) != text)
        var changed = Array(text.utf8)
        changed[20] = changed[20] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        for odd in ["", "A", "wait", String(decoding: changed, as: UTF8.self)] { #expect(seal.open(odd) == nil) }
    }
}
