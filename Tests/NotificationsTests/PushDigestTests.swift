import EventModel
import Testing

@testable import Notifications
@testable import Persistence

@Suite(.serialized) struct PushDigestTests {
    private let fixture: PushFixture

    init() throws { fixture = try PushFixture() }

    @Test func whatIsHeldBackIsCountedInOneDigestOfItsDevice() async throws {
        try await fixture.register(1, of: fixture.makeDevice())
        try await fixture.register(2, of: fixture.makeDevice())
        try await fixture.judge((0..<3).map { .raise(fixture.notice("n\($0)")) })
        let claimed = try await fixture.claim(after: 6)
        #expect(claimed.count == 6)
        for push in claimed {
            var settlement = Settlement(id: push.id, state: .suppressed, code: .budget, reason: "Too many.")
            settlement.digest = fixture.notice("g:\(push.id)", grace: 100, lives: 4000, kind: .digest)
            _ = try await fixture.store.settlePushes(
                [settlement],
                by: PushFixture.server,
                now: fixture.now
            )
        }
        let digests = try await fixture.claim(after: 100)
        #expect(digests.map(\.kind) == ["digest", "digest"])
        #expect(Set(digests.map(\.device)) == Set(claimed.map(\.device)))
        for digest in digests { #expect(digest.digest?.count == 3 && digest.digest?.sessions == 1) }
    }

    @Test func anAppsTokenIsPreferredToTheBrowserOnTheSameDevice() async throws {
        let device = try await fixture.makeDevice()
        _ = try await fixture.store.registerPushToken(
            fixture.token(5, kind: .webPush),
            of: device,
            now: fixture.now
        )
        #expect(try await fixture.judge([.raise(fixture.notice("a"))]).deliveries == 1)
        try await fixture.register(1, of: device)
        #expect(try await fixture.judge([.raise(fixture.notice("b"))]).deliveries == 1)
        #expect(try await fixture.claim(after: 6).map { $0.token?.content.kind } == [.webPush, .alert])
    }
}
