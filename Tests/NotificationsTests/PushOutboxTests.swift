import DatabaseSamples
import EventModel
import Testing

@testable import Notifications
@testable import Persistence

@Suite(.serialized) struct PushOutboxTests {
    private let fixture: PushFixture
    private var store: PostgresStore { fixture.store }

    init() throws { fixture = try PushFixture() }

    private func raiseOne(_ key: String = "a", prompt: String? = nil) async throws {
        try await fixture.register(1, of: fixture.makeDevice())
        try await fixture.judge([.raise(fixture.notice(key, prompt: prompt))])
    }

    @Test func aDeliveryIsClaimedWhenItIsDueAndByOneServerOnly() async throws {
        try await raiseOne()
        #expect(try await fixture.claim(after: 5).isEmpty)
        #expect(try await store.nextPushDue(now: fixture.now) == fixture.now.adding(seconds: 6))
        #expect(try await fixture.claim(after: 6).count == 1)
        #expect(try await fixture.claim(by: "server-b", after: 7).isEmpty)
    }

    @Test func aClaimThatRanOutIsAnybodys() async throws {
        try await raiseOne()
        let first = try #require(try await fixture.claim(after: 6, lease: 0).first)
        #expect(try await fixture.admit(first.id, lease: 0) == .granted)
        let second = try #require(try await fixture.claim(by: "server-b", after: 6).first)
        #expect(second.id == first.id && second.apnsID == first.apnsID)
        #expect(second.attempts == 2 && second.submissions == 1)
        // Whoever lost the claim settles nothing any more.
        try await fixture.settle(first, .sent)
        #expect(try fixture.states() == ["claimed"])
        #expect(try await fixture.admit(first.id) == .unknown)
    }

    @Test func whatWaitsForASignIsDueWhenItComesAndOnceOnly() async throws {
        try await raiseOne(prompt: "p")
        let push = try #require(try await fixture.claim(after: 6).first)
        #expect(push.confirmedAt == nil)
        let held = Settlement(
            id: push.id,
            state: .waiting,
            dueAt: fixture.now.adding(seconds: 300),
            code: .unconfirmed
        )
        _ = try await store.settlePushes([held], by: PushFixture.server, now: fixture.now)
        #expect(try await fixture.claim(after: 20).isEmpty)
        #expect(try await fixture.judge([.confirm(promptKey: "p")], after: 20).confirmed == 1)
        #expect(try await fixture.judge([.confirm(promptKey: "p")], after: 21).confirmed == 0)
        #expect(try await fixture.claim(after: 22).first?.confirmedAt == fixture.now.adding(seconds: 20))
    }

    @Test func aPromptRaisedAndConfirmedInOnePageIsConfirmed() async throws {
        try await fixture.register(1, of: fixture.makeDevice())
        try await fixture.judge([.raise(fixture.notice("a", prompt: "p")), .confirm(promptKey: "p")], after: 1)
        #expect(try await fixture.claim(after: 6).first?.confirmedAt == fixture.now.adding(seconds: 1))
    }

    @Test func whatADeadServerClaimedIsFreeAtOnceAndWhatALivingOneDidIsNot() async throws {
        try await raiseOne()
        let push = try #require(try await fixture.claim(by: "one/1", after: 6).first)
        #expect(try await fixture.admit(push.id, by: "one/1") == .granted)
        #expect(try await store.releasePushes(of: "two/", except: "two/1") == 0)
        #expect(try await store.releasePushes(of: "one/", except: "one/1") == 0)
        #expect(try await fixture.claim(by: "one/2", after: 6).isEmpty)
        #expect(try await store.releasePushes(of: "one/", except: "one/2") == 1)
        let again = try #require(try await fixture.claim(by: "one/2", after: 6).first)
        #expect(again.id == push.id && again.apnsID == push.apnsID && again.submissions == 1)
    }

    @Test func anEndIsToldOnceByTheServerThatWroteIt() async throws {
        try await raiseOne(prompt: "p")
        let push = try #require(try await fixture.claim(after: 6, lease: 0).first)
        _ = try await fixture.claim(by: "server-b", after: 6)
        #expect(try await fixture.settle(push, .sent) == [:])
        let sent = PushEnd(kind: "permission", state: .sent, code: "sent")
        #expect(try await fixture.settle(push, .sent, by: "server-b") == [sent: 1])
        #expect(try await fixture.settle(push, .sent, by: "server-b") == [:])
    }

    @Test func whatIsOnlyPutOffIsNoEnd() async throws {
        try await raiseOne()
        let push = try #require(try await fixture.claim(after: 6).first)
        #expect(try await fixture.settle(push, .waiting, due: 30) == [:])
    }

    @Test func aWithdrawalIsToldOnceForWhatWaited() async throws {
        try await fixture.register(1, of: fixture.makeDevice())
        try await fixture.register(2, of: fixture.makeDevice())
        try await fixture.judge([.raise(fixture.notice("a", prompt: "p"))])
        _ = try await fixture.claim(after: 6, limit: 1)
        let withdrawal = NotificationAction.withdraw(promptKey: "p", because: .answeredElsewhere, resolution: nil)
        let end = PushEnd(kind: "permission", state: .withdrawn, code: "answered_elsewhere")
        let first = try await fixture.judge([withdrawal])
        #expect(first.withdrawn == 1 && first.ended == [end: 1])
        let second = try await fixture.judge([withdrawal])
        #expect(second.withdrawn == 0 && second.ended == [:])
    }

    @Test func aDeliveryThatIsGivenBackIsDueAgainLater() async throws {
        try await raiseOne()
        let push = try #require(try await fixture.claim(after: 6).first)
        try await fixture.settle(push, .waiting, due: 30)
        #expect(try await fixture.claim(after: 29).isEmpty)
        #expect(try await fixture.claim(after: 30).first?.attempts == 2)
    }

    @Test func aSubmissionThatDidNotLeaveIsNotCounted() async throws {
        try await raiseOne()
        let push = try #require(try await fixture.claim(after: 6).first)
        #expect(try await fixture.admit(push.id) == .granted)
        var back = Settlement(id: push.id, state: .waiting, dueAt: fixture.now, code: .stopped)
        back.wasNotSubmitted = true
        _ = try await store.settlePushes([back], by: PushFixture.server, now: fixture.now)
        #expect(try await fixture.claim(after: 6).first?.submissions == 0)
    }

    @Test func aClaimTellsWhatTheDeviceWasSentAndItsPreferencesAndClock() async throws {
        let device = try await fixture.makeDevice()
        var token = fixture.token(1)
        token.timeZone = "Asia/Tokyo"
        _ = try await store.registerPushToken(token, of: device, now: fixture.now)
        try await fixture.judge([.raise(fixture.notice("a")), .raise(fixture.notice("b", grace: 60))])
        try await fixture.settle(try #require(try await fixture.claim(after: 6).first), .sent, after: 8)
        let layer = PushPreferenceLayer(
            scope: PushScope(.device, String(device.rawValue)),
            settings: Array("{}".utf8),
            updatedAt: fixture.now
        )
        #expect(try await store.setPushPreferences(layer))
        let claim = try await store.claimPushes(
            by: "s",
            limit: 10,
            leaseSeconds: 60,
            sentWithinSeconds: 3600,
            now: fixture.now.adding(seconds: 60)
        )
        #expect(claim.pushes.first?.utcOffsetSeconds == 32_400)
        #expect(claim.layers == [layer])
        let sent = SentPush(
            device: device,
            sentAt: fixture.now.adding(seconds: 8),
            kind: "permission",
            sessionID: "session-1",
            collapseID: "p:1",
            seq: 1,
            machine: MachineID(rawValue: 1)
        )
        #expect(claim.sent == [sent])
    }

    @Test func aTokenThatIsGoneLeavesTheClaimWithoutOne() async throws {
        let device = try await fixture.makeDevice()
        try await fixture.register(1, of: device)
        try await fixture.judge([.raise(fixture.notice("a"))])
        try fixture.database.execute("DELETE FROM push_tokens")
        let push = try #require(try await fixture.claim(after: 6).first)
        #expect(push.token == nil && push.device == device)
    }

    @Test func manyServersShareTheDueWithoutOverlap() async throws {
        try await fixture.register(1, of: fixture.makeDevice())
        try await fixture.judge((0..<40).map { .raise(fixture.notice("n\($0)")) })
        let now = fixture.now.adding(seconds: 10)
        let claimed = try await withThrowingTaskGroup(of: [Int64].self) { [store] group in
            for server in 0..<8 {
                group.addTask {
                    try await store.claimPushes(
                        by: "server-\(server)",
                        limit: 10,
                        leaseSeconds: 60,
                        sentWithinSeconds: 60,
                        now: now
                    ).pushes.map(\.id)
                }
            }
            return try await group.reduce(into: [Int64]()) { $0 += $1 }
        }
        #expect(claimed.count == 40 && Set(claimed).count == 40)
    }

    @Test func theHistoryTellsOfAnEventAndOfOnePush() async throws {
        try await raiseOne(prompt: "p")
        let push = try #require(try await fixture.claim(after: 6).first)
        try await fixture.settle(push, .sent, after: 7)
        let event = EventID(high: 0x0190_B7C4_0000_7000, low: 1)
        let history = try await store.pushHistory(ofEvent: event)
        #expect(history.count == 1 && history.first?.noticeKey == "a" && history.first?.eventID == event)
        let decision = try #require(history.first?.decisions.first)
        #expect(decision.state == .sent && decision.apnsID == push.apnsID && decision.tokenFingerprint == "01010101")
        #expect(try await store.pushHistory(ofPush: push.apnsID) == history)
        #expect(try await store.pushHistory(latest: 5) == history)
        #expect(try await store.pushHistory(ofPush: event).isEmpty)
        let progress = try #require(try await store.pushProgress(ofEvent: event))
        #expect(progress == (1, 1))
    }

    @Test func aNoticeForNobodyIsInTheHistoryToo() async throws {
        let device = try await fixture.makeDevice()
        try await fixture.register(1, of: device)
        try fixture.database.execute("UPDATE push_tokens SET kind = 'activity_start'")
        try await fixture.judge([.raise(fixture.notice("a"))])
        #expect(try await store.pushHistory(latest: 1).map(\.decisions) == [[]])
    }

    @Test func aTestIsForOneDeviceAndMadeOnce() async throws {
        let device = try await fixture.makeDevice()
        try await fixture.register(1, of: device)
        try await fixture.register(2, of: fixture.makeDevice())
        let names = try await store.addPushNotice(fixture.notice("t"), for: device, now: fixture.now)
        #expect(names.count == 1)
        #expect(try await store.addPushNotice(fixture.notice("t"), for: device, now: fixture.now) == names)
        #expect(try fixture.states() == ["waiting"])
        #expect(try await fixture.claim(after: 6).map(\.device) == [device])
    }

    @Test func ofManyThatWereSentTheNewestAreRemembered() async throws {
        let device = try await fixture.makeDevice()
        try await fixture.register(1, of: device)
        try await fixture.judge([.raise(fixture.notice("a"))])
        try fixture.database.execute(
            """
            INSERT INTO push_deliveries (notice_id, device_id, token_kind, state, due_at, expires_at, created_at,
                decided_at)
            SELECT n.id, \(device.rawValue), 'alert', 'sent', n.raised_at, n.expires_at, n.raised_at,
                n.raised_at - number * interval '100 ms'
            FROM push_notices n, generate_series(0, 5000) AS number
            """
        )
        let claim = try await store.claimPushes(
            by: "s",
            limit: 10,
            leaseSeconds: 60,
            sentWithinSeconds: 3600,
            now: fixture.now.adding(seconds: 6)
        )
        #expect(claim.sent.count == 5000)
        #expect(claim.sent.map(\.sentAt).max() == fixture.now)
    }

    @Test func trimmingTakesWhatIsDecidedAndLeavesWhatWaits() async throws {
        try await raiseOne()
        let push = try #require(try await fixture.claim(after: 6).first)
        try await fixture.settle(push, .sent)
        try await fixture.judge([.raise(fixture.notice("b", grace: 9000, lives: 9999))])
        let later = fixture.now.adding(seconds: 8000)
        #expect(try await store.trimPushes(decided: later, silent: later, stale: fixture.now, now: later).notices == 1)
        #expect(try fixture.states() == ["waiting"])
        let trimmed = try await store.trimPushes(decided: fixture.now, silent: later, stale: later, now: later)
        #expect(trimmed.notices == 0)
        #expect(trimmed.withdrawn == [PushEnd(kind: "permission", state: .withdrawn, code: "token_removed"): 1])
        #expect(try fixture.states() == ["withdrawn"])
    }

    @Test func theBacklogCountsWhatWaitsAndTheTokens() async throws {
        try await raiseOne()
        let before = try await store.pushBacklog(now: fixture.now)
        #expect(before.waiting == 1 && before.oldestDue == nil && before.nextDue == fixture.now.adding(seconds: 6))
        #expect(before.tokens == [OutboxBacklog.TokenCount(kind: "alert", state: "active", count: 1)])
        let after = try await store.pushBacklog(now: fixture.now.adding(seconds: 7))
        #expect(after.oldestDue == fixture.now.adding(seconds: 6))
    }
}
