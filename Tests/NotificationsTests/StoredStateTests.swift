import EventModel
import Testing

@testable import Notifications

/// Whatever is stored between two inputs behaves as if it had been kept: moved, stored by its codec and moved again, it
/// asks for what a state that was never stored asks for.
@Suite("Stored states")
struct StoredStateTests {
    private func state(_ random: inout SeededGenerator, _ seconds: Double) -> ActivityState {
        ActivityState(
            place: NotificationPlace(sessionID: "s1", workspaceID: "ws-1"),
            phase: [.running, .waiting, .idle, .error, .ended].randomElement(using: &random) ?? .idle,
            since: at(seconds),
            pending: Int.random(in: 0...2, using: &random),
            toolName: ["Bash", "Read", nil].randomElement(using: &random) ?? nil,
            at: at(seconds)
        )
    }

    private func input(_ random: inout SeededGenerator, _ seconds: Double) -> LiveActivityPlan.Input {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: .tokenArrived
        case 1: .tokenGone
        case 2: .frequentUpdates(Bool.random(using: &random))
        case 3: .switchedOff
        case 4, 5: .due
        default: .state(state(&random, seconds))
        }
    }

    @Test("a Live Activity's plan", arguments: 1...40)
    func plan(seed: UInt64) {
        var random = SeededGenerator(state: seed)
        var kept = LiveActivityPlan()
        var stored: [UInt8]?
        var seconds = 0.0
        for _ in 0..<200 {
            seconds += Double.random(in: 0...900, using: &random).rounded()
            let next = input(&random, seconds)
            let expected = kept.take(next, at: at(seconds))
            let (plan, steps) = LiveActivityPlan.update(stored: stored) { $0.take(next, at: at(seconds)) }
            #expect(steps == expected)
            #expect(plan == kept)
            stored = plan.stored()
        }
    }

    @Test("what is due is due once: a plan that was moved is due later, or not at all", arguments: 1...40)
    func due(seed: UInt64) {
        var random = SeededGenerator(state: seed)
        var stored: [UInt8]?
        var seconds = 0.0
        for _ in 0..<200 {
            let next = input(&random, seconds)
            let (plan, _) = LiveActivityPlan.update(stored: stored) { plan in
                _ = plan.take(next, at: at(seconds))
                return plan.take(.due, at: at(seconds))
            }
            stored = plan.stored()
            if let due = plan.nextDue { #expect(due > at(seconds), "seed \(seed), \(plan)") }
            seconds += Double.random(in: 0...900, using: &random).rounded()
        }
    }

    @Test("a session's watch")
    func watch() {
        for cut in 1..<40 {
            let script = longScript()
            var whole = NotificationDetector()
            let expected = script.flatMap { whole.take($0) }
            var first = NotificationDetector()
            var found = script.prefix(cut).flatMap { first.take($0) }
            let watches = first.changedSessions.compactMap {
                SessionMonitorState(sessionID: $0.sessionID, stored: $0.stored())
            }
            #expect(watches == first.changedSessions)
            var second = NotificationDetector(sessions: watches)
            found += script.dropFirst(cut).flatMap { second.take($0) }
            #expect(found == expected, "stored after \(cut) events")
        }
    }

    /// Turns with a tool that asks, a Stop hook that blocks, an agent and an error.
    private func longScript() -> [CommittedEvent] {
        var script = Script()
        for round in 0..<4 {
            let start = Double(round) * 400
            script.prompt(start, "go", id: "turn-\(round)")
            script.tool("PreToolUse", start + 1, "t\(round)", more: #","prompt_id":"turn-\#(round)""#)
            script.ask(start + 1.1)
            script.notify("permission_prompt", start + 7)
            script.tool("PostToolUse", start + 30, "t\(round)", more: #","duration_ms":90000"#)
            script.add("SubagentStart", start + 31, #""agent_id":"a","agent_type":"Explore""#)
            script.add("SubagentStop", start + 40, #""agent_id":"a","agent_type":"Explore""#)
            script.stop(start + 150, #""stop_hook_active":false,"prompt_id":"turn-\#(round)""#)
            script.tool("PreToolUse", start + 152, "u\(round)", more: #","prompt_id":"turn-\#(round)""#)
            script.stop(start + 200, #""stop_hook_active":true,"prompt_id":"turn-\#(round)""#)
            script.add("StopFailure", start + 300, #""error":"rate_limit""#)
        }
        return script.events
    }
}
