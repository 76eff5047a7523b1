import EventModel
import JSON
import Testing

@testable import Notifications

@Suite("Live Activities")
struct LiveActivityPlanTests {
    private var plan = LiveActivityPlan()

    private func state(_ phase: ActivityState.Phase, _ seconds: Double = 0, pending: Int = 0, tool: String? = nil)
        -> ActivityState
    {
        ActivityState(
            place: NotificationPlace(sessionID: "s1", workspaceID: "ws-1", machineName: "studio", projectName: "shop"),
            phase: phase,
            since: at(seconds),
            pending: pending,
            toolName: tool,
            sessionTitle: "Shop",
            at: at(seconds)
        )
    }

    /// A plan whose activity runs since 0 and shows the wait.
    private func running() -> LiveActivityPlan {
        var plan = LiveActivityPlan()
        _ = plan.take(.state(state(.waiting, pending: 1)), at: at(0))
        _ = plan.take(.tokenArrived, at: at(1))
        return plan
    }

    @Test("the first prompt starts it, work alone does not")
    func starts() {
        var plan = LiveActivityPlan()
        #expect(plan.take(.state(state(.running)), at: at(0)).isEmpty)
        #expect(plan.nextDue == nil)
        let steps = plan.take(.state(state(.waiting, pending: 1)), at: at(10))
        #expect(steps.map(\.event) == [.start])
        #expect(steps.first?.isUrgent == true)
        #expect(steps.first?.alerts == true)
        #expect(steps.first?.staleAt == at(1810))
    }

    @Test("before its token has come it is neither started again nor changed; then the newest state is sent")
    func token() {
        var plan = LiveActivityPlan()
        _ = plan.take(.state(state(.waiting)), at: at(0))
        #expect(plan.take(.state(state(.running)), at: at(2)).isEmpty)
        #expect(plan.take(.state(state(.waiting, pending: 2)), at: at(3)).isEmpty)
        #expect(plan.take(.tokenArrived, at: at(50)).map(\.state.pending) == [2])
        #expect(plan.take(.tokenArrived, at: at(51)).isEmpty)
    }

    @Test("one whose token never comes is given up until the next wait")
    func noToken() {
        var plan = LiveActivityPlan()
        _ = plan.take(.state(state(.waiting)), at: at(0))
        #expect(plan.nextDue == at(300))
        #expect(plan.take(.due, at: at(300)).isEmpty)
        #expect(plan.nextDue == nil)
        #expect(plan.take(.state(state(.waiting, pending: 2)), at: at(310)).isEmpty)
        #expect(plan.take(.state(state(.running)), at: at(320)).isEmpty)
        #expect(plan.take(.state(state(.waiting)), at: at(330)).map(\.event) == [.start])
    }

    @Test("updates are sent at most once in 45 s, a new phase after 5, and nothing without a change")
    func pace() {
        var plan = running()
        #expect(plan.take(.state(state(.waiting, pending: 1)), at: at(60)).isEmpty)
        let phase = plan.take(.state(state(.running, tool: "Bash")), at: at(61))
        #expect(phase.map(\.event) == [.update])
        #expect(phase.first?.isUrgent == false)
        #expect(plan.take(.state(state(.running, tool: "Read")), at: at(62)).isEmpty)
        #expect(plan.take(.state(state(.running, tool: "Edit")), at: at(63)).isEmpty)
        #expect(plan.nextDue == at(106))
        #expect(plan.take(.due, at: at(105)).isEmpty)
        #expect(plan.take(.due, at: at(106)).map(\.state.toolName) == ["Edit"])
    }

    @Test("a change that is taken back is not sent")
    func takenBack() {
        var plan = running()
        _ = plan.take(.state(state(.running, tool: "A")), at: at(60))
        _ = plan.take(.state(state(.running, tool: "B")), at: at(61))
        _ = plan.take(.state(state(.running, tool: "A")), at: at(62))
        #expect(plan.nextDue == at(660))
    }

    @Test("a wait is sent at once and is urgent, as long as the hour's budget lasts")
    func budget() {
        var plan = running()
        var urgent = 0
        for round in 0..<20 {
            let time = 100 + Double(round) * 12
            _ = plan.take(.state(state(.running)), at: at(time))
            let steps = plan.take(.state(state(.waiting, pending: 1)), at: at(time + 6))
            #expect(steps.count == 1)
            urgent += steps.count { $0.isUrgent }
        }
        #expect(urgent == 6)
        var frequent = running()
        _ = frequent.take(.frequentUpdates(true), at: at(2))
        var more = 0
        for round in 0..<20 {
            let time = 100 + Double(round) * 12
            _ = frequent.take(.state(state(.running)), at: at(time))
            more += frequent.take(.state(state(.waiting)), at: at(time + 6)).count { $0.isUrgent }
        }
        #expect(more == 20)
    }

    @Test("while nothing changes the state is sent again before it grows stale")
    func heartbeat() {
        var plan = running()
        #expect(plan.nextDue == at(600))
        let steps = plan.take(.due, at: at(600))
        #expect(steps.map(\.event) == [.update])
        #expect(steps.first?.isUrgent == false)
        #expect(plan.nextDue == at(1200))
    }

    @Test("the session's end ends it and leaves it for a quarter of an hour")
    func ends() {
        var plan = running()
        let steps = plan.take(.state(state(.ended)), at: at(30))
        #expect(steps.map(\.event) == [.end])
        #expect(steps.first?.dismissAt == at(930))
        #expect(steps.first?.staleAt == nil)
        #expect(plan.nextDue == nil)
        #expect(plan.take(.state(state(.running)), at: at(40)).isEmpty)
    }

    @Test("an idle session keeps none")
    func idle() {
        var plan = running()
        _ = plan.take(.state(state(.idle)), at: at(60))
        #expect(plan.nextDue == at(1860))
        #expect(plan.take(.due, at: at(1860)).map(\.event) == [.end])
    }

    @Test("before the system ends it, it is ended and started anew")
    func restart() {
        var plan = running()
        var now = at(0)
        var steps: [LiveActivityStep] = []
        while let due = plan.nextDue, steps.isEmpty {
            now = due
            steps = plan.take(.due, at: now).filter { $0.event != .update }
        }
        #expect(now == at(7.75 * 3600))
        #expect(steps.map(\.event) == [.end, .start])
        #expect(steps.first?.dismissAt == now)
        #expect(plan.take(.tokenArrived, at: now.adding(seconds: 3)).isEmpty)
        #expect(plan.nextDue == now.adding(seconds: 600))
    }

    @Test("a token that is gone ends it without a push; a new one brings it back")
    func gone() {
        var plan = running()
        #expect(plan.take(.tokenGone, at: at(20)).isEmpty)
        #expect(plan.nextDue == nil)
        #expect(plan.take(.state(state(.running)), at: at(30)).isEmpty)
        #expect(plan.take(.tokenArrived, at: at(40)).map(\.event) == [.update])
    }

    @Test("switched off it is taken away at once")
    func switchedOff() {
        var plan = running()
        let steps = plan.take(.switchedOff, at: at(20))
        #expect(steps.map(\.event) == [.end])
        #expect(steps.first?.dismissAt == at(20))
        #expect(plan.take(.switchedOff, at: at(21)).isEmpty)
    }

    @Test("stored and read at any point, the plan goes on the same")
    func restored() {
        var random = SeededGenerator(state: 5)
        for _ in 0..<50 {
            var plan = LiveActivityPlan()
            var time = 0.0
            for _ in 0..<60 {
                time += Double.random(in: 0...400, using: &random)
                let phase = ActivityState.Phase.allCases.randomElement(using: &random) ?? .idle
                let inputs: [LiveActivityPlan.Input] = [
                    .state(state(phase, time, pending: Int.random(in: 0...2, using: &random))), .tokenArrived, .due,
                    .tokenGone, .frequentUpdates(true), .state(state(.waiting, time)), .due, .tokenArrived,
                ]
                let input = inputs.randomElement(using: &random) ?? .due
                var copy = LiveActivityPlan(stored: plan.stored())
                #expect(copy == plan)
                let steps = plan.take(input, at: at(time))
                #expect(copy?.take(input, at: at(time)) == steps)
                #expect(plan.nextDue.map { $0 > at(time) } ?? true || input != .due)
            }
        }
        #expect(LiveActivityPlan(stored: []) == nil)
    }
}

@Suite("Live Activity payloads")
struct LiveActivityPayloadTests {
    private func step(_ event: LiveActivityStep.Event, alerts: Bool = false) -> LiveActivityStep {
        LiveActivityStep(
            event: event,
            state: ActivityState(
                place: NotificationPlace(
                    sessionID: "s1",
                    workspaceID: "ws-1",
                    machineName: "studio",
                    projectName: "shop"
                ),
                phase: .waiting,
                since: at(-30),
                pending: 2,
                toolName: "Bash",
                sessionTitle: "Shop",
                at: at(0)
            ),
            isUrgent: true,
            alerts: alerts,
            staleAt: at(1800),
            dismissAt: event == .end ? at(900) : nil
        )
    }

    @Test("a start has what the system wants of it")
    func start() throws {
        let composer = PushComposer(topic: "com.example.app", webPushRules: nil)
        let message = try composer.liveActivity(
            step(.start, alerts: true),
            id: EventID(high: 1, low: 2),
            PushSample.token(),
            privacy: .sealed,
            now: at(0)
        )
        guard case .apns(let request, _) = message else {
            Issue.record("it is not for Apple")
            return
        }
        #expect(request.pushType == .liveActivity)
        #expect(request.priority == .immediate)
        let aps = parse(request.payload)["aps"]
        #expect(aps?["event"]?.string == "start")
        #expect(aps?["attributes-type"]?.string == "ClaudeSessionAttributes")
        #expect(aps?["attributes"]?["session"]?.string?.count == 20)
        #expect(aps?["input-push-token"]?.integer == 1)
        #expect(aps?["alert"]?["title"]?["loc-key"]?.string == "push.activity.waiting.title")
        #expect(aps?["timestamp"]?.integer == at(0).microseconds / 1_000_000)
        #expect(aps?["stale-date"]?.integer == at(1800).microseconds / 1_000_000)
        #expect(aps?["content-state"]?["pending"]?.integer == 2)
        #expect(aps?["content-state"]?["since"]?.integer == at(-30).microseconds / 1_000_000)
    }

    @Test("an end says when it is taken away, and has no attributes")
    func end() {
        let aps = parse(LiveActivityPayload.bytes(step(.end), privacy: .plain, now: at(0)))["aps"]
        #expect(aps?["dismissal-date"]?.integer == at(900).microseconds / 1_000_000)
        #expect(aps?["attributes"] == nil)
        #expect(aps?["alert"] == nil)
        #expect(aps?["content-state"]?["tool"]?.string == "Bash")
    }

    @Test("content is in it with the plain mode only, as nothing in it can be sealed")
    func privacy() {
        for privacy in [PrivacyMode.sealed, .contentless] {
            let text = String(
                decoding: LiveActivityPayload.bytes(step(.start), privacy: privacy, now: at(0)),
                as: UTF8.self
            )
            for secret in ["Bash", "Shop", "studio", "shop", "s1"] { #expect(!text.contains("\"\(secret)\"")) }
        }
    }
}
