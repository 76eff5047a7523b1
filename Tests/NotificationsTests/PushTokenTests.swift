import DatabaseSamples
import EventModel
import Testing

@testable import Devices
@testable import Notifications
@testable import Persistence

@Suite(.serialized) struct PushTokenTests {
    private let fixture: PushFixture
    private var store: PostgresStore { fixture.store }

    init() throws { fixture = try PushFixture() }

    @Test func aTokenIsKeptWithAllThatWasSaid() async throws {
        let device = try await fixture.makeDevice()
        var token = fixture.token(7)
        token.topic = "com.example.monitor"
        token.encryptionKey = fixture.digest(9)
        token.locale = "de-DE"
        token.timeZone = "Europe/Berlin"
        token.appVersion = "1.2"
        token.allowsFrequentUpdates = true
        let made = try #require(try await store.registerPushToken(token, of: device, now: fixture.now))
        #expect(made.content == token && made.state == .active && made.registeredAt == fixture.now)
        #expect(made.fingerprint == "07070707")
        #expect(try await store.pushTokens(of: device) == [made])
    }

    @Test func aNewTokenTakesThePlaceOfTheOldOneOfItsKind() async throws {
        let device = try await fixture.makeDevice()
        let first = try await fixture.register(1, of: device)
        let second = try await fixture.register(2, of: device, after: 5)
        #expect(second.id == first.id && second.content.sha256 == fixture.digest(2))
        _ = try await store.registerPushToken(
            fixture.token(3, kind: .activityUpdate),
            of: device,
            now: fixture.now
        )
        #expect(try await store.pushTokens(of: device).map(\.content.kind) == [.alert, .activityUpdate])
    }

    @Test func aDeviceHasAtMostEightTokensOfAKindAndTheOldestMakesRoom() async throws {
        let device = try await fixture.makeDevice()
        let other = try await fixture.makeDevice()
        try await fixture.register(99, of: device)
        for number in 0..<12 {
            var token = fixture.token(UInt8(number), kind: .activityUpdate)
            token.sessionID = "session-\(number)"
            let now = fixture.now.adding(seconds: Double(number))
            _ = try await store.registerPushToken(token, of: device, now: now)
            token = fixture.token(UInt8(100 + number), kind: .activityUpdate)
            token.sessionID = "session-\(number)"
            if number < 3 { _ = try await store.registerPushToken(token, of: other, now: now) }
        }
        let kept = try await store.pushTokens(of: device).compactMap(\.content.sessionID)
        #expect(kept == (4..<12).map { "session-\($0)" })
        #expect(try await store.pushTokens(of: device).count == 9)
        #expect(try await store.pushTokens(of: other).count == 3)
    }

    @Test func aTokenThatAnotherDeviceHadMovesToTheOneThatReportsIt() async throws {
        let old = try await fixture.makeDevice()
        let new = try await fixture.makeDevice()
        try await fixture.register(1, of: old)
        try await fixture.register(1, of: new)
        #expect(try await store.pushTokens(of: old) == [])
        #expect(try await store.pushTokens(of: new).count == 1)
    }

    @Test func aTokenThatWasSetAsideIsGoodAgainWhenItIsRegisteredAgain() async throws {
        let device = try await fixture.makeDevice()
        let record = try await fixture.register(1, of: device)
        let verdict = TokenVerdict(
            tokenID: record.id,
            registeredAt: record.registeredAt,
            state: .quarantined,
            reason: "BadDeviceToken"
        )
        try await store.setTokenState(verdict, now: fixture.now)
        let aside = try await store.pushTokens(of: device)[0]
        #expect(aside.state == .quarantined && aside.stateReason == "BadDeviceToken" && aside.failures == 1)
        let again = try await fixture.register(1, of: device, after: 10)
        #expect(again.state == .active && again.stateReason == nil && again.failures == 0)
        // The answer to a push to the earlier registration says nothing about the later.
        try await store.setTokenState(verdict, now: fixture.now)
        #expect(try await store.pushTokens(of: device)[0].state == .active)
    }

    @Test func aRevokedDeviceCannotRegisterAndLosesWhatItHad() async throws {
        let device = try await fixture.makeDevice()
        try await fixture.register(1, of: device)
        try await fixture.judge([.raise(fixture.notice("a"))])
        let removed = try await store.revokeDevice(device, now: fixture.now)
        let end = PushEnd(kind: "permission", state: .withdrawn, code: "device_revoked")
        #expect(removed == RemovedPushTokens(tokens: 1, withdrawn: [end: 1]))
        #expect(try await store.pushTokens(of: device) == [])
        #expect(try fixture.states() == ["withdrawn"])
        #expect(try await store.registerPushToken(fixture.token(1), of: device, now: fixture.now) == nil)
    }

    @Test func removingOneTokenLeavesTheOthersAndVoidsWhatWaitsForIt() async throws {
        let device = try await fixture.makeDevice()
        let alert = try await fixture.register(1, of: device)
        try await fixture.judge([.raise(fixture.notice("a"))])
        _ = try await store.registerPushToken(fixture.token(2, kind: .webPush), of: device, now: fixture.now)
        let removed = try await store.removePushTokens(of: device, id: alert.id, now: fixture.now)
        let end = PushEnd(kind: "permission", state: .withdrawn, code: "token_removed")
        #expect(removed == RemovedPushTokens(tokens: 1, withdrawn: [end: 1]))
        #expect(try fixture.states() == ["withdrawn"])
        try await fixture.judge([.raise(fixture.notice("b"))])
        #expect(try await store.removePushTokens(of: device, now: fixture.now).tokens == 1)
        #expect(try await store.removePushTokens(of: device, now: fixture.now).tokens == 0)
        #expect(try fixture.states() == ["withdrawn", "withdrawn"])
    }

    @Test func timeZonesAreThoseOfTheDatabase() async throws {
        #expect(try await store.isTimeZone("Europe/Berlin"))
        #expect(try await store.isTimeZone("Nowhere/Here") == false)
    }

    @Test func preferencesAreKeptByLayer() async throws {
        let everyone = PushPreferenceLayer(
            scope: PushScope(.default),
            settings: Array(#"{"grace_seconds":3}"#.utf8),
            updatedAt: fixture.now
        )
        var session = PushPreferenceLayer(
            scope: PushScope(.session, "s"),
            settings: Array("{}".utf8),
            updatedAt: fixture.now
        )
        try fixture.commit(1, session: "s")
        #expect(try await store.setPushPreferences(everyone))
        #expect(try await store.setPushPreferences(session))
        session.settings = Array(#"{"always_push":true}"#.utf8)
        #expect(try await store.setPushPreferences(session))
        let asked = [PushScope(.default), PushScope(.session, "s"), PushScope(.session, "other")]
        let found = try await store.pushPreferences(asked)
        #expect(found.count == 2 && found.contains(everyone) && found.contains(session))
        #expect(try await store.removePushPreferences(session.scope))
        #expect(try await store.removePushPreferences(session.scope) == false)
        #expect(try await store.pushPreferences(asked) == [everyone])
    }

    @Test func whatIsNotThereHasNoPreferences() async throws {
        let device = try await fixture.makeDevice()
        try fixture.commit(1, session: "s")
        let project = WorkspaceID.make(machine: fixture.machine, path: "/home/dev/project")
        let there = [PushScope(.session, "s"), PushScope(.project, project), PushScope(.device, "\(device.rawValue)")]
        let elsewhere = [PushScope(.session, "t"), PushScope(.project, "ws-0"), PushScope(.device, "99")]
        func set(_ scope: PushScope) async throws -> Bool {
            let layer = PushPreferenceLayer(scope: scope, settings: Array("{}".utf8), updatedAt: fixture.now)
            return try await store.setPushPreferences(layer)
        }
        for scope in there { #expect(try await set(scope), "\(scope)") }
        for scope in elsewhere { #expect(try await !set(scope), "\(scope)") }
        _ = try await store.revokeDevice(device, now: fixture.now)
        #expect(try await !set(there[2]))
        #expect(try await store.deleteSession(id: "s"))
        let configuration = fixture.database.configuration
        let steps = NotificationRetention.steps
        _ = try LogMaintenance(configuration: configuration, steps: steps, logger: quiet).run(now: fixture.now)
        #expect(try await store.pushPreferences(there + elsewhere).map(\.scope) == [there[1]])
    }
}
