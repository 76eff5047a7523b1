import Testing

@testable import Access

@Suite("AppleAllowlist")
struct AppleAllowlistTests {
    private let list = AppleAllowlist(["001234.abc.0123", "Owner@Example.com"])

    @Test("a subject on the list may come in, in its very spelling")
    func subjects() {
        #expect(list.allowsSubject(of: AppleIdentity(subject: "001234.abc.0123", verifiedEmail: nil)))
        #expect(!list.allowsSubject(of: AppleIdentity(subject: "001234.ABC.0123", verifiedEmail: nil)))
        #expect(!list.allowsSubject(of: AppleIdentity(subject: "owner@example.com", verifiedEmail: nil)))
    }

    @Test("a verified address on the list is found, however it is written")
    func emails() {
        #expect(list.emails == ["owner@example.com"])
        let owner = AppleIdentity(subject: "x", verifiedEmail: "owner@example.com")
        #expect(list.email(of: owner) == "owner@example.com")
        #expect(list.email(of: AppleIdentity(subject: "x", verifiedEmail: nil)) == nil)
        #expect(list.email(of: AppleIdentity(subject: "x", verifiedEmail: "owner@example.com.evil.example")) == nil)
    }

    @Test("an empty list lets nobody in")
    func empty() {
        let identity = AppleIdentity(subject: "x", verifiedEmail: "a@b.example")
        #expect(!AppleAllowlist([]).allowsSubject(of: identity))
        #expect(AppleAllowlist([]).email(of: identity) == nil)
    }
}
