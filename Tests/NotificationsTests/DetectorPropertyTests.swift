import EventModel
import Testing

@testable import Notifications

/// A made-up session whose true course is known, and whose events arrive in an order that real hooks could give.
private struct RandomSession {
    var script = Script()
    /// The true prompts: the call's id, and when it was asked and answered.
    var answers: [String: Double] = [:]

    init(seed: UInt64) {
        var random = SeededGenerator(state: seed)
        var time = 0.0
        var calls = 0
        func pass(_ range: ClosedRange<Double>) { time += Double.random(in: range, using: &random) }
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            script.prompt(time)
            for _ in 0..<Int.random(in: 0...5, using: &random) {
                pass(2...20)
                calls += 1
                let id = "t\(calls)"
                let input = ["ls", "make", "rm x"].randomElement(using: &random) ?? "ls"
                let agent = Bool.random(using: &random) ? #","agent_id":"a1""# : ""
                script.tool("PreToolUse", time, id, input, more: agent)
                if Bool.random(using: &random) { ask(id, input, agent, &time, &random) }
                if Int.random(in: 0..<8, using: &random) > 0 {
                    pass(0.1...3)
                    script.tool("PostToolUse", time, id, input, more: agent)
                    answers[id] = time
                }
            }
            pass(1...5)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: break
            case 1: script.add("StopFailure", time, #""error":"overloaded""#)
            default: script.stop(time)
            }
            if Bool.random(using: &random) {
                pass(60...61)
                script.notify("idle_prompt", time)
            }
            pass(5...300)
        }
        if Bool.random(using: &random) { script.add("SessionEnd", time, #""reason":"other""#) }
        disturb(&random)
    }

    private mutating func ask(
        _ id: String,
        _ input: String,
        _ agent: String,
        _ time: inout Double,
        _ random: inout SeededGenerator
    ) {
        let asked = time + 0.05
        for _ in 0...Int.random(in: 0...1, using: &random) { script.ask(asked, input, more: agent) }
        time = asked + Double.random(in: 0.2...40, using: &random)
        if time - asked > 6.2 { script.notify("permission_prompt", asked + 6.1) }
    }

    /// Events change places with others that happened at most 8 of them away.
    private mutating func disturb(_ random: inout SeededGenerator) {
        let keys = script.events.indices.map { index in
            Double(index) + (Int.random(in: 0..<4, using: &random) == 0 ? Double.random(in: 0...8, using: &random) : 0)
        }
        script.reorder(script.events.indices.sorted { (keys[$0], $0) < (keys[$1], $1) })
    }
}

@Suite("The detector over random sessions")
struct DetectorPropertyTests {
    private static let seeds: ClosedRange<UInt64> = 1...400

    @Test("every notice has an end after its beginning, and keys that are unique and short")
    func notices() {
        for seed in DetectorPropertyTests.seeds {
            let raised = RandomSession(seed: seed).script.actions.raised
            #expect(Set(raised.map(\.key)).count == raised.count, "seed \(seed)")
            for notice in raised {
                #expect(notice.expiresAt > notice.notBefore && notice.notBefore >= notice.raisedAt, "seed \(seed)")
                #expect(notice.key.utf8.count <= 64 && notice.collapseID.utf8.count <= 64)
                #expect(notice.promptKey?.utf8.count ?? 0 <= 64)
                #expect(!notice.collapseID.contains(notice.place.sessionID ?? "-"))
            }
        }
    }

    @Test("one call is told of once, in whatever order its events come")
    func onePerCall() {
        for seed in DetectorPropertyTests.seeds {
            let prompts = RandomSession(seed: seed).script.actions.told.filter { $0.kind == .permission }
            let ids = prompts.compactMap(\.details.toolUseID)
            #expect(Set(ids).count == ids.count, "seed \(seed): \(ids)")
        }
    }

    @Test("nothing is raised under a key that was withdrawn, and nothing withdrawn that was not raised")
    func withdrawals() {
        for seed in DetectorPropertyTests.seeds {
            var raised: Set<String> = []
            var withdrawn: Set<String> = []
            for action in RandomSession(seed: seed).script.actions {
                switch action {
                case .raise(let notice):
                    guard let key = notice.promptKey else { continue }
                    #expect(!withdrawn.contains(key), "seed \(seed)")
                    raised.insert(key)
                case .withdraw(let withdrawal):
                    #expect(raised.contains(withdrawal.promptKey), "seed \(seed)")
                    #expect(withdrawn.insert(withdrawal.promptKey).inserted, "seed \(seed)")
                case .confirm(let key): #expect(raised.contains(key) && !withdrawn.contains(key), "seed \(seed)")
                case .updateActivity: break
                }
            }
        }
    }

    @Test("in order of their time, answered calls leave no prompt open")
    func nothingLeftOpen() {
        for seed in DetectorPropertyTests.seeds {
            let session = RandomSession(seed: seed)
            var script = session.script
            let order = script.events.indices.sorted {
                (script.events[$0].event.timestamp, script.events[$0].event.id.low)
                    < (script.events[$1].event.timestamp, script.events[$1].event.id.low)
            }
            script.reorder(order)
            let actions = script.actions
            let withdrawn = Set(actions.withdrawn.map(\.promptKey))
            for notice in actions.told where notice.kind == .permission {
                guard let id = notice.details.toolUseID, session.answers[id] != nil else { continue }
                #expect(withdrawn.contains(notice.key), "seed \(seed): \(id)")
            }
        }
    }

    @Test("state that was stored and read at any point gives the same actions")
    func restored() {
        for seed in DetectorPropertyTests.seeds {
            let script = RandomSession(seed: seed).script
            var detector = NotificationDetector()
            let expected = script.events.map { detector.take($0) }
            var stored: [UInt8]?
            for (event, actions) in zip(script.events, expected) {
                let watch = stored.flatMap { SessionMonitorState(sessionID: script.sessionID, stored: $0) }
                #expect(stored == nil || watch != nil)
                var restarted = NotificationDetector(sessions: watch.map { [$0] } ?? [])
                #expect(restarted.take(event) == actions, "seed \(seed), event \(event.seq)")
                if let changed = restarted.changedSessions.first {
                    stored = changed.stored()
                    #expect(SessionMonitorState(sessionID: script.sessionID, stored: changed.stored()) == changed)
                    #expect(changed.stored().count < 16_384)
                }
            }
        }
    }

    @Test("the actions of an event are the same when it is judged again from the same state")
    func repeatable() {
        for seed in DetectorPropertyTests.seeds {
            let script = RandomSession(seed: seed).script
            #expect(script.actions == script.actions)
        }
    }
}

@Suite("Detector and delivery rules together")
struct PipelinePropertyTests {
    /// What an outbox does, with one device: each second it asks the rules about what is due.
    private struct Outbox {
        struct Row {
            var notice: Notification
            var due: Timestamp
        }

        var rows: [Row] = []
        var sent: [(notice: Notification, at: Timestamp)] = []
        var withdrawn: [String: WithdrawalReason] = [:]
        var budget = DeliveryBudget()
        let preferences = ResolvedPreferences()

        mutating func apply(_ action: NotificationAction) {
            switch action {
            case .raise(let notice):
                rows.append(Row(notice: notice, due: DeliveryRules.firstDue(notice, preferences)))
            case .withdraw(let withdrawal):
                withdrawn[withdrawal.promptKey] = withdrawal.reason
                guard let resolved = withdrawal.resolved,
                    sent.contains(where: { $0.notice.promptKey == withdrawal.promptKey }),
                    !rows.contains(where: { $0.notice.key == resolved.key })
                else { return }
                rows.append(Row(notice: resolved, due: resolved.notBefore))
            case .confirm(let key):
                for index in rows.indices where rows[index].notice.promptKey == key {
                    rows[index].notice.unconfirmedSeconds = 0
                    rows[index].due = DeliveryRules.firstDue(rows[index].notice, preferences)
                }
            case .updateActivity: break
            }
        }

        mutating func run(at now: Timestamp) {
            for index in rows.indices.reversed() where rows[index].due <= now {
                switch DeliveryRules.decide(situation(rows[index].notice, now)) {
                case .send(let delivery):
                    budget = delivery.budget
                    sent.append((rows[index].notice, now))
                    rows.remove(at: index)
                case .wait(let until, _): rows[index].due = until
                case .digest, .suppress: rows.remove(at: index)
                }
            }
        }

        private func situation(_ notice: Notification, _ now: Timestamp) -> DeliveryCase {
            let same = sent.filter { $0.notice.collapseID == notice.collapseID }
            let newer = rows.filter { row in
                row.notice.collapseID == notice.collapseID && row.notice.kind != .resolved
                    && row.notice.key != notice.key && row.notice.seq > notice.seq
            }
            return DeliveryCase(
                notice: notice,
                preferences: preferences,
                device: DeviceSituation(id: DeviceID(rawValue: 1)),
                recent: RecentDeliveries(
                    budget: budget,
                    withdrawn: notice.promptKey.flatMap { withdrawn[$0] },
                    sameCollapseSentAt: same.map(\.at).max(),
                    newerSent: same.last { $0.notice.seq > notice.seq }?.notice.kind,
                    newerDueAt: newer.map(\.due).min(),
                    sessionSentAt: sent.last?.at
                ),
                now: now
            )
        }
    }

    @Test("nothing is sent after its withdrawal or its end; a prompt at most twice; one collapse id once in 10 s")
    func pipeline() {
        for seed in UInt64(1)...120 {
            let events = RandomSession(seed: seed).script.events
            var detector = NotificationDetector()
            var outbox = Outbox()
            var next = 0
            for second in 0..<2400 {
                while next < events.count, events[next].event.receivedAt <= at(Double(second)) {
                    for action in detector.take(events[next]) { outbox.apply(action) }
                    next += 1
                }
                let sentBefore = outbox.sent.count
                outbox.run(at: at(Double(second)))
                for (notice, time) in outbox.sent[sentBefore...] {
                    #expect(notice.promptKey.map { outbox.withdrawn[$0] == nil } ?? true, "seed \(seed)")
                    #expect(time < notice.expiresAt)
                    #expect(time >= DeliveryRules.firstDue(notice, outbox.preferences))
                }
            }
            let perPrompt = Dictionary(grouping: outbox.sent.compactMap(\.notice.promptKey)) { $0 }
            #expect(perPrompt.values.allSatisfy { $0.count <= 2 }, "seed \(seed)")
            #expect(Set(outbox.sent.map(\.notice.key)).count == outbox.sent.count)
            for (_, sent) in Dictionary(grouping: outbox.sent, by: \.notice.collapseID) {
                for (first, second) in zip(sent, sent.dropFirst()) {
                    #expect(second.at.seconds(since: first.at) >= DeliveryRules.coalescingSeconds, "seed \(seed)")
                }
            }
        }
    }
}
