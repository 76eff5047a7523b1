import Testing

@testable import MonitorAgent

@Suite("The offer of a release")
struct ReleaseOfferTests {
    private static let digest = String(repeating: "0a", count: 32)
    private static let key = "Wki4QnX4P_M59Y2lOFZjr5fM4kCMGNrXsZ3kLeCvOPQ"
    /// Of version 1.2.0 for linux-x86_64.
    private static let signature =
        "1ERbjRRNZJC07x-wSUoCBjYc9RDPG8XDESPjj3pCAQ1XB6CeSyHHR49GpXTJl7AWlu-QwcKHrMJVbLA4ctzkDg"

    private func head(_ status: Int = 200, version: String = "1.2.0", signature: String? = signature) -> String {
        "HTTP/1.1 \(status) OK\r\nX-Agent-Version: \(version)\r\nx-agent-sha256: \(Self.digest)\r\n"
            + (signature.map { "x-agent-signature: \($0)\r\n" } ?? "") + "\r\n"
    }

    private func judge(
        _ head: String,
        own: String = "1.1.9",
        key: String = key,
        platform: String = "linux-x86_64"
    ) -> ReleaseOffer.Verdict? {
        ReleaseOffer(head: head)?.judge(key: key, platform: platform, own: own)
    }

    private func isRefused(_ verdict: ReleaseOffer.Verdict?, _ words: String) -> Bool {
        guard case .refused(let reason) = verdict else { return false }
        return reason.contains(words)
    }

    @Test("a newer release with the signature of the known key is taken")
    func newer() {
        #expect(judge(head()) == .newer)
        #expect(judge(head(), own: "1.2.0") == .same)
        #expect(judge("HTTP/1.1 200 Connection established\r\n\r\n" + head()) == .newer)
    }

    @Test("an older one never is, and neither is one that another key signed, or for something else")
    func refused() {
        #expect(isRefused(judge(head(), own: "1.10.0"), "never goes back"))
        #expect(isRefused(judge(head(version: "1.3.0")), "signature"))
        #expect(isRefused(judge(head(), platform: "linux-aarch64"), "signature"))
        #expect(isRefused(judge(head(), key: "A" + Self.key.dropFirst()), "signature"))
        #expect(isRefused(judge(head(), key: ""), "signature"))
        #expect(isRefused(judge(head(signature: nil)), "not signed"))
        #expect(isRefused(judge(head(version: "new")), "cannot be compared"))
    }

    @Test("an answer without a release offers none")
    func none() {
        #expect(ReleaseOffer(head: head(404)) == nil)
        #expect(ReleaseOffer(head: "") == nil)
        #expect(ReleaseOffer(head: "HTTP/1.1 200 OK\r\nx-agent-version: 1\r\n\r\n") == nil)
        #expect(ReleaseOffer(head: head() + "HTTP/1.1 200 OK\r\n\r\n") == nil)
    }

    @Test("the property list for launchd escapes what XML gives a meaning")
    func propertyList() {
        #expect(LaunchdPlist.text(program: "/a<b>&c", certificates: nil).contains("<string>/a&lt;b&gt;&amp;c</string>"))
    }
}
