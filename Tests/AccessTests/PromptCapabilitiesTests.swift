import EventModel
import Signing
import Testing

@testable import Access

@Suite("PromptCapabilities")
struct PromptCapabilitiesTests {
    private let now = Timestamp(microseconds: 1_800_000_000_000_000)
    private let prompt = EventID(high: 0x0123_4567_89AB_7DEF, low: 0x8123_4567_89AB_CDEF)
    private let device = DeviceID(rawValue: 7)
    private let capabilities: PromptCapabilities

    init() throws {
        capabilities = try PromptCapabilities(key: try ES256PrivateKey.generate())
    }

    private func issue(isAllowed: Bool = true, for seconds: Double = 60) throws -> String {
        let expiry = now.adding(seconds: seconds)
        return try capabilities.issue(prompt: prompt, device: device, isAllowed: isAllowed, expiresAt: expiry)
    }

    @Test("it names prompt, device and decision; each use has the same answer id, and each decision another")
    func issued() throws {
        let allow = try issue()
        let deny = try issue(isAllowed: false)
        let first = try #require(capabilities.verify(allow, now: now))
        #expect(first.prompt == prompt && first.device == device && first.isAllowed)
        #expect(capabilities.verify(allow, now: now.adding(seconds: 30)) == first)
        let other = try #require(capabilities.verify(deny, now: now))
        #expect(!other.isAllowed && other.answerID != first.answerID)
    }

    @Test("it expires")
    func expired() throws {
        #expect(capabilities.verify(try issue(), now: now.adding(seconds: 60)) == nil)
    }

    @Test("a changed byte anywhere, another key or another length is not authentic")
    func forged() throws {
        let text = try issue(isAllowed: false)
        let bytes = try #require(Base64URL.decode(text))
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(capabilities.verify(Base64URL.encode(changed), now: now) == nil)
        }
        let foreign = try PromptCapabilities(key: try ES256PrivateKey.generate())
        #expect(foreign.verify(text, now: now) == nil)
        for wrong in ["", "x", String(text.dropLast()), text + "A"] {
            #expect(capabilities.verify(wrong, now: now) == nil)
        }
    }
}
