import DatabaseSamples
import EventModel
import Synchronization
import Testing

@testable import Notifications
@testable import Persistence

@Suite(.serialized) struct PushEvaluatorTests {
    private let fixture: PushFixture
    private var store: PostgresStore { fixture.store }

    init() throws { fixture = try PushFixture() }

    /// Judges without an action and tells which places it was shown.
    private func seen(pageEvents: Int = 500) async throws -> ([Int64], DetectionOutcome) {
        let places = SharedPlaces()
        let outcome = try await store.evaluatePushes(now: fixture.now, pageEvents: pageEvents) { page in
            places.add(page.events.map(\.seq))
            return DetectionResult()
        }
        return (places.all, outcome)
    }

    @Test func eachEventIsJudgedOnceInOrderPageByPage() async throws {
        try await fixture.register(1, of: fixture.makeDevice())
        try fixture.commit(5)
        let (first, outcome) = try await seen(pageEvents: 3)
        #expect(first == [1, 2, 3] && outcome.hasMore && outcome.events == 3)
        let (second, last) = try await seen(pageEvents: 3)
        #expect(second == [4, 5] && !last.hasMore)
        let (third, nothing) = try await seen()
        #expect(third == [] && nothing == DetectionOutcome())
    }

    @Test func whatTheJudgementRemembersComesBackToIt() async throws {
        try await fixture.register(1, of: fixture.makeDevice())
        try fixture.commit(1)
        _ = try await store.evaluatePushes(now: fixture.now) { page in
            var judgement = DetectionResult()
            judgement.watches = ["session-1": Array("{\"open\":1}".utf8), "other": Array("{}".utf8)]
            return judgement
        }
        try fixture.commit(1)
        let memory = SharedPage()
        _ = try await store.evaluatePushes(now: fixture.now) { page in
            memory.keep(page)
            var judgement = DetectionResult()
            judgement.watches = ["session-1": nil as [UInt8]?]
            return judgement
        }
        #expect(memory.page?.watches == ["session-1": Array("{\"open\":1}".utf8)])
        #expect(try fixture.database.texts("SELECT session_id FROM push_watches") == ["other"])
    }

    @Test func whereNobodyListensTheLogIsSkipped() async throws {
        try fixture.commit(4)
        let (places, outcome) = try await seen()
        #expect(places == [] && outcome.skipped == 4)
        try await fixture.register(1, of: fixture.makeDevice())
        try fixture.commit(1)
        #expect(try await seen().0 == [5])
    }

    @Test func whatIsTooOldToBeToldIsSkipped() async throws {
        try await fixture.register(1, of: fixture.makeDevice())
        try fixture.commit(3, at: fixture.now.adding(seconds: -13 * 3600))
        try fixture.commit(2)
        let (places, outcome) = try await seen()
        #expect(places == [4, 5] && outcome.skipped == 3)
    }

    @Test func aLogOfAnotherEpochIsJudgedFromItsEnd() async throws {
        try await fixture.register(1, of: fixture.makeDevice())
        try fixture.commit(2)
        try fixture.database.execute("UPDATE log_head SET epoch = 'restored'")
        #expect(try await seen().0 == [])
        try fixture.commit(1)
        #expect(try await seen().0 == [3])
    }

    @Test func aNoticeGoesToEveryActiveTokenOfAnActiveDeviceOnce() async throws {
        let phone = try await fixture.makeDevice()
        let tablet = try await fixture.makeDevice()
        try await fixture.register(1, of: phone)
        try await fixture.register(2, of: tablet)
        _ = try await store.registerPushToken(fixture.token(3, kind: .activityStart), of: phone, now: fixture.now)
        let first = try await fixture.judge([.raise(fixture.notice("a"))])
        #expect(first.notices == 1 && first.deliveries == 2)
        let again = try await fixture.judge([.raise(fixture.notice("a"))])
        #expect(again.notices == 0 && again.deliveries == 0)
        try fixture.database.execute(
            "UPDATE refresh_families SET revoked_at = now() WHERE device_id = \(tablet.rawValue)"
        )
        #expect(try await fixture.judge([.raise(fixture.notice("b"))]).deliveries == 1)
    }

    @Test func aWithdrawalVoidsWhatWaitsAndWhatTheSamePageRaisedBeforeIt() async throws {
        try await fixture.register(1, of: fixture.makeDevice())
        try await fixture.judge([.raise(fixture.notice("a", prompt: "p"))])
        let outcome = try await fixture.judge([
            .raise(fixture.notice("b", prompt: "p")),
            .withdraw(promptKey: "p", because: .answeredElsewhere, resolution: nil),
            .raise(fixture.notice("c", prompt: "p")),
        ])
        #expect(outcome.withdrawn == 1 && outcome.notices == 2 && outcome.deliveries == 1)
        let codes = try fixture.database.texts(
            "SELECT key || ' ' || coalesce(withdrawn_because, 'open') FROM push_notices ORDER BY key"
        )
        #expect(codes == ["a answered_elsewhere", "b answered_elsewhere", "c open"])
        #expect(try fixture.states() == ["withdrawn", "waiting"])
    }

    @Test func aResolutionGoesOnlyWhereThePromptWasSent() async throws {
        try await fixture.register(1, of: fixture.makeDevice())
        try await fixture.register(2, of: fixture.makeDevice())
        try await fixture.judge([.raise(fixture.notice("a", prompt: "p"))])
        let claimed = try await fixture.claim(after: 10)
        #expect(claimed.count == 2)
        try await fixture.settle(claimed[0], .sent)
        try await fixture.settle(claimed[1], .suppressed)
        let resolution = fixture.notice("r", grace: 0, kind: .resolved)
        let withdrawal = NotificationAction.withdraw(
            promptKey: "p",
            because: .answeredElsewhere,
            resolution: resolution
        )
        let outcome = try await fixture.judge([withdrawal, withdrawal], after: 20)
        #expect(outcome.notices == 1 && outcome.deliveries == 1)
        let due = try await fixture.claim(after: 20)
        #expect(due.map(\.kind) == ["resolved"] && due.first?.device == claimed[0].device)
    }

    @Test func twoServersJudgeTheLogTogetherWithoutJudgingAnythingTwice() async throws {
        try await fixture.register(1, of: fixture.makeDevice())
        let other = PostgresStore(configuration: fixture.database.configuration, logger: quiet)
        try other.start()
        try fixture.commit(60)
        let places = SharedPlaces()
        let now = fixture.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for server in [store, other] {
                group.addTask {
                    var hasMore = true
                    while hasMore {
                        hasMore = try await server.evaluatePushes(now: now, pageEvents: 7) { page in
                            places.add(page.events.map(\.seq))
                            return DetectionResult()
                        }.hasMore
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(places.all.sorted() == Array(1...60))
        other.stop()
    }

    @Test func aRunThatBreaksIsRepeatedWhole() async throws {
        try await fixture.register(1, of: fixture.makeDevice())
        try fixture.commit(1)
        let bad = NotificationAction.raise(fixture.notice("nul\u{0}"))
        await #expect(throws: PersistenceError.self) {
            _ = try await store.evaluatePushes(now: fixture.now) { _ in
                var judgement = DetectionResult()
                judgement.actions = [bad]
                return judgement
            }
        }
        #expect(try await seen().0 == [1])
    }
}

final class SharedPlaces: Sendable {
    private let places = Mutex<[Int64]>([])

    func add(_ more: [Int64]) { places.withLock { $0 += more } }
    var all: [Int64] { places.withLock { $0 } }
}

final class SharedPage: Sendable {
    private let kept = Mutex<DetectionPage?>(nil)

    func keep(_ page: DetectionPage) { kept.withLock { $0 = page } }
    var page: DetectionPage? { kept.withLock { $0 } }
}
