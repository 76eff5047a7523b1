import EventModel
import Persistence
import Testing

@testable import EventIngest

@Suite("Spooled events that only the server may make")
struct ForgedEventsTests {
    private func event(_ type: String, _ name: String?) -> MonitorEvent {
        MonitorEvent(
            id: EventID(high: 1, low: 1),
            type: EventType(rawValue: type),
            hookEventName: name.map { HookEventName($0) },
            timestamp: receiptTime,
            receivedAt: receiptTime,
            machine: MachineID(rawValue: 1),
            machineName: "desk",
            sessionID: "s",
            projectPath: nil,
            toolName: nil,
            summary: "x",
            payload: [],
            facts: SessionFacts()
        )
    }

    @Test("are refused, and the others keep their outcomes")
    func mixed() {
        let events = [
            event("stop", "Stop"), event("prompt_opened", "prompt_opened"), event("prompt_opened", nil),
            event("prompt_closed", "PromptClosed"), event("tool", "PostToolUse"),
        ]
        var taken: [MonitorEvent] = []
        let outcomes = Box()
        let isTaken = ForgedEvents.withhold(from: events, { outcomes.value = $0 }) { events, completion in
            taken = events
            completion([.accepted(seq: 1), .duplicate(seq: 2), .accepted(seq: 3)])
            return true
        }
        #expect(isTaken && taken == [events[0], events[2], events[4]])
        let isRefused = outcomes.value.map { if case .rejected = $0 { true } else { false } }
        #expect(isRefused == [false, true, false, true, false])
        #expect(outcomes.value[2] == .duplicate(seq: 2) && outcomes.value[4] == .accepted(seq: 3))
    }

    @Test("alone need no writer")
    func alone() {
        let outcomes = Box()
        let isTaken = ForgedEvents.withhold(
            from: [event("session_gone", "session gone")],
            { outcomes.value = $0 },
            append: { _, _ in false }
        )
        #expect(isTaken && outcomes.value.count == 1)
    }

    private final class Box: @unchecked Sendable {
        // Used by one thread only: `withhold` calls its completion before it returns here.
        var value: [AppendOutcome] = []
    }
}
