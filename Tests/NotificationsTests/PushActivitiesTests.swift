import EventModel
import Testing

@testable import Notifications
@testable import Persistence

@Suite(.serialized) struct PushActivitiesTests {
    private let fixture: PushFixture
    private var store: PostgresStore { fixture.store }

    init() throws { fixture = try PushFixture() }

    /// One may begin while the session waits.
    private func state(_ pending: Int, waits: Bool) -> ActivityState {
        ActivityState(
            place: NotificationPlace(sessionID: "session-1", workspaceID: "ws-1"),
            phase: waits ? .waiting : .running,
            since: fixture.now,
            pending: pending,
            at: fixture.now
        )
    }

    private func judge(_ state: ActivityState) async throws {
        try fixture.commit(1)
        _ = try await store.evaluatePushes(now: fixture.now) { _ in
            DetectionResult(actions: [.updateActivity(state)])
        }
    }

    private func claim(
        by server: String = PushFixture.server,
        after seconds: Double = 0,
        lease: Double = 60
    ) async throws -> [ClaimedActivity] {
        let now = fixture.now.adding(seconds: seconds)
        return try await store.claimActivities(by: server, limit: 10, leaseSeconds: lease, now: now).activities
    }

    /// Whether it was still the server's.
    @discardableResult
    private func settle(
        _ activity: ClaimedActivity,
        by server: String = PushFixture.server,
        due: Timestamp? = nil
    ) async throws -> Bool {
        try await store.settleActivity(
            activity,
            by: server,
            plan: Array("{}".utf8),
            dueAt: due,
            now: fixture.now
        )
    }

    private func startToken(of device: DeviceID) async throws {
        _ = try await store.registerPushToken(
            fixture.token(9, kind: .activityStart),
            of: device,
            now: fixture.now
        )
    }

    @Test func aSessionThatWaitsIsFollowedOnDevicesThatCanStartOne() async throws {
        let device = try await fixture.makeDevice()
        try await startToken(of: device)
        try await fixture.register(1, of: fixture.makeDevice())
        try await judge(state(1, waits: false))
        #expect(try await claim().isEmpty)
        try await judge(state(2, waits: true))
        let claimed = try await claim()
        #expect(claimed.map(\.device) == [device] && claimed.first?.plan == nil)
        #expect(claimed.first?.state == state(2, waits: true) && claimed.first?.startToken != nil)
        #expect(try await claim().isEmpty)
    }

    @Test func whatComesDuringAStepIsNotOverwrittenByIt() async throws {
        try await startToken(of: fixture.makeDevice())
        try await judge(state(1, waits: true))
        let first = try #require(try await claim().first)
        try await judge(state(2, waits: false))
        try await settle(first)
        let second = try #require(try await claim().first)
        #expect(second.state == state(2, waits: false) && second.plan == Array("{}".utf8))
        let due = fixture.now.adding(seconds: 60)
        try await settle(second, due: due)
        #expect(try await claim(after: 59).isEmpty)
        #expect(try await store.nextActivityDue() == due)
        #expect(try await claim(after: 60).first?.state == nil)
    }

    @Test func whoLostTheClaimSettlesNothing() async throws {
        try await startToken(of: fixture.makeDevice())
        try await judge(state(0, waits: true))
        let first = try #require(try await claim(by: "one/1", lease: 0).first)
        let second = try #require(try await claim(by: "two/1").first)
        #expect(try await settle(first, by: "one/1") == false)
        #expect(try await settle(second, by: "two/1"))
        #expect(try await settle(second, by: "two/1") == false)
    }

    @Test func whatADeadServerClaimedIsFreeAtOnce() async throws {
        try await startToken(of: fixture.makeDevice())
        try await judge(state(0, waits: true))
        #expect(try await claim(by: "one/1").count == 1)
        #expect(try await store.releasePushes(of: "two/", except: "two/1") == 0)
        #expect(try await claim(by: "one/2").isEmpty)
        #expect(try await store.releasePushes(of: "one/", except: "one/2") == 1)
        #expect(try await claim(by: "one/2").count == 1)
    }

    @Test func theActivitysOwnTokenAndItsEndAreTold() async throws {
        let device = try await fixture.makeDevice()
        try await startToken(of: device)
        try await judge(state(0, waits: true))
        let first = try #require(try await claim().first)
        try await settle(first)
        _ = try await store.registerPushToken(
            fixture.token(8, kind: .activityUpdate),
            of: device,
            now: fixture.now
        )
        let second = try #require(try await claim().first)
        #expect(second.tokenArrived && !second.tokenGone && second.updateToken != nil)
        try await settle(second)
        try await store.activityTokenGone(device: device, sessionID: "session-1", now: fixture.now)
        let third = try #require(try await claim().first)
        #expect(third.tokenGone && !third.tokenArrived)
    }
}
