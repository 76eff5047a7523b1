import DatabaseSamples
import EventModel
import Testing

@testable import Notifications
@testable import Persistence

/// A delivery is judged once more at the moment when it can be sent.
@Suite(.serialized) struct PushAdmissionTests {
    private let fixture: PushFixture

    init() throws { fixture = try PushFixture() }

    private func raiseOne(_ key: String = "a", prompt: String? = nil) async throws {
        try await fixture.register(1, of: fixture.makeDevice())
        try await fixture.judge([.raise(fixture.notice(key, prompt: prompt))])
    }

    @Test func aNoticeThatBecameVoidIsNotSent() async throws {
        try await raiseOne(prompt: "p")
        let push = try #require(try await fixture.claim(after: 6).first)
        try await fixture.judge([.withdraw(promptKey: "p", because: .answeredElsewhere, resolution: nil)])
        #expect(try fixture.states() == ["claimed"])
        #expect(try await fixture.admit(push.id) == .void(.answeredElsewhere))
        #expect(try fixture.database.integers("SELECT submissions::bigint FROM push_deliveries") == [0])
    }

    @Test func whatItsDeviceMayNotHaveIsNotSent() async throws {
        for (change, code) in [
            ("UPDATE devices SET revoked_at = now()", PushCode.deviceRevoked),
            ("UPDATE refresh_families SET revoked_at = now()", .deviceRevoked),
            ("DELETE FROM push_tokens", .tokenRemoved),
        ] {
            let fixture = try PushFixture()
            try await fixture.register(1, of: fixture.makeDevice())
            try await fixture.judge([.raise(fixture.notice("a"))])
            let push = try #require(try await fixture.claim(after: 6).first)
            try fixture.database.execute(change)
            #expect(try await fixture.admit(push.id) == .void(code), "\(change)")
        }
    }

    @Test func otherPreferencesNeedAnotherMessage() async throws {
        try await raiseOne()
        let plain = #"{"privacy":"plain"}"#
        try fixture.database.execute("INSERT INTO push_preferences VALUES ('default', '', '\(plain)', now())")
        let push = try #require(try await fixture.claim(after: 6).first)
        #expect(try await fixture.admit(push.id, preferences: push.preferences) == .granted)
        try fixture.database.execute("UPDATE push_preferences SET settings = '{\"privacy\":\"contentless\"}'")
        #expect(try await fixture.admit(push.id, preferences: push.preferences) == .unknown)
        try fixture.database.execute("DELETE FROM push_preferences")
        #expect(try await fixture.admit(push.id, preferences: push.preferences) == .unknown)
        #expect(try await fixture.admit(push.id) == .granted)
    }

    @Test func aSecondStreamForAPushIsNoSecondSubmission() async throws {
        try await raiseOne()
        let push = try #require(try await fixture.claim(after: 6).first)
        #expect(try await fixture.admit(push.id) == .granted)
        #expect(try await fixture.admit(push.id, isFirst: false) == .granted)
        #expect(try fixture.database.integers("SELECT submissions::bigint FROM push_deliveries") == [1])
    }

    @Test func theEndOfAPromptIsNotSentWhereThePromptWasNotSent() async throws {
        try await raiseOne(prompt: "p")
        let push = try #require(try await fixture.claim(after: 6).first)
        let resolution = fixture.notice("r", grace: 0, kind: .resolved)
        try await fixture.judge([.withdraw(promptKey: "p", because: .answeredElsewhere, resolution: resolution)])
        let ended = try #require(try await fixture.claim(after: 30).first { $0.kind == "resolved" })
        #expect(try await fixture.admit(ended.id) == .void(.nothingToReplace))
        // As if the stream had been opened before the withdrawal.
        try fixture.database.execute("UPDATE push_deliveries SET submissions = 1 WHERE id = \(push.id)")
        #expect(try await fixture.admit(ended.id) == .granted)
    }
}
