internal import EventModel
internal import JSON
internal import Persistence

/// A hook that asks a person posts its event at once, without a number, and spools a copy, which gets a number. If the
/// copy arrives second, it is a duplicate, so the log stores its number as an event of its own.
enum LateNumbers {
    /// Calls `completion` when the numbers are in the log too. Events whose numbers could not be stored are
    /// unavailable, so that they are sent again.
    ///
    /// - Parameter writer: `nil` while events cannot be committed.
    static func keep(
        of events: [MonitorEvent],
        _ outcomes: [AppendOutcome],
        in writer: EventWriter?,
        _ completion: @escaping @Sendable ([AppendOutcome]) -> Void
    ) {
        let late = zip(events, outcomes).compactMap { event, outcome in
            if case .duplicate = outcome { number(of: event) } else { nil }
        }
        guard !late.isEmpty else { return completion(outcomes) }
        let refused = zip(events, outcomes).map { event, outcome in
            if case .duplicate = outcome, number(of: event) != nil {
                AppendOutcome.unavailable(retryAfter: 2)
            } else {
                outcome
            }
        }
        let isTaken = writer?.append(late) { numbered in
            let isKept = numbered.allSatisfy { if case .unavailable = $0 { false } else { true } }
            completion(isKept ? outcomes : refused)
        }
        if isTaken != true { completion(refused) }
    }

    private static func number(of event: MonitorEvent) -> MonitorEvent? {
        guard let stream = event.facts.stream, let name = event.hookEventName?.known,
            name == .permissionRequest || name == .elicitation
        else { return nil }
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("event_id", event.id.description)
        writer.field("number", stream.number)
        writer.field("session_number", stream.sessionNumber)
        writer.endObject()
        var facts = SessionFacts()
        facts.stream = stream
        return MonitorEvent(
            id: EventID(name: "stream \(stream.id) \(stream.number)", machine: event.machine),
            type: .streamNumber,
            hookEventName: nil,
            timestamp: event.timestamp,
            receivedAt: event.receivedAt,
            machine: event.machine,
            machineName: event.machineName,
            sessionID: event.sessionID,
            projectPath: nil,
            toolName: nil,
            summary: "number \(stream.number) of the machine",
            payload: writer.bytes,
            facts: facts
        )
    }
}
