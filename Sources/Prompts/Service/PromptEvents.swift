internal import EventModel
internal import JSON
internal import Sessions

/// The log events that report what happens to a prompt. Their ids are derived from their content, so that a retry or
/// another server adds no event twice.
enum PromptEvents {
    static func update(
        _ record: PromptRecord,
        _ step: PromptUpdate.Step,
        key: String,
        at time: Timestamp,
        deviceID: String? = nil,
        risk: ToolRisk? = nil
    ) -> MonitorEvent {
        event(record, .promptUpdated, step.rawValue, key: "\(step.rawValue):\(key)", at: time) { writer in
            writer.field("device_id", deviceID)
            writer.field("risk", risk?.rawValue)
        }
    }

    /// The answer of a prompt. The event's id follows from the prompt alone, so the log has one answer of each prompt:
    /// the first. A fast answer can overtake the event of the hold, which therefore precedes it here; both writers give
    /// that event the same id.
    static func answered(_ answer: PromptAnswer, of record: PromptRecord, _ hold: Hold?) -> [MonitorEvent] {
        let answered = update(record, .answered, key: "answered", with: answer)
        guard !record.prompt.wasHeld, let hold else { return [answered] }
        return [update(record, .held, key: hold.key.id, at: answer.at, risk: hold.policy.risk), answered]
    }

    /// An answer that came after the prompt's end.
    static func late(_ answer: PromptAnswer, of record: PromptRecord) -> MonitorEvent {
        update(record, .late, key: "late:\(answer.id)", with: answer)
    }

    private static func update(
        _ record: PromptRecord,
        _ step: PromptUpdate.Step,
        key: String,
        with answer: PromptAnswer
    ) -> MonitorEvent {
        event(record, .promptUpdated, step.rawValue, key: key, at: answer.at) { writer in
            writer.field("device_id", answer.deviceID)
            writer.key("answer")
            answer.write(to: &writer)
        }
    }

    /// The phases that the log does not report yet.
    static func announcements(of record: PromptRecord, at time: Timestamp) -> [MonitorEvent] {
        let prompt = record.prompt
        let last = prompt.steps.last?.name ?? prompt.state.rawValue
        let phases: [(phase: Prompt.Phase, type: EventType, step: String)] = [
            (.opened, .promptOpened, "offered"), (.closed, .promptClosed, prompt.state.rawValue),
            (.settled, .promptUpdated, last),
        ]
        return phases.filter { $0.phase > prompt.announced && $0.phase <= prompt.phase }.map { phase, type, step in
            event(record, type, step, key: "phase:\(phase.rawValue)", at: time) {
                $0.field("phase", phase.rawValue)
            }
        }
    }

    /// The event for a turn that the answer to the prompt has ended.
    ///
    /// - Parameter time: by the session's own clock.
    static func interruption(of record: PromptRecord, at time: Timestamp, now: Timestamp) -> MonitorEvent {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("by", record.prompt.answeredBy?.rawValue)
        writer.field("prompt_id", record.prompt.id)
        writer.endObject()
        let summary = "interrupted by \(record.prompt.answer?.name ?? "an answer")"
        return event(record, .sessionInterrupted, "interrupted", writer.bytes, summary, at: time, received: now)
    }

    private static func event(
        _ record: PromptRecord,
        _ type: EventType,
        _ step: String,
        key: String,
        at time: Timestamp,
        _ more: (inout JSONWriter) -> Void
    ) -> MonitorEvent {
        let prompt = record.prompt
        var writer = JSONWriter(reserving: 1024)
        writer.beginObject()
        writer.field("prompt_id", prompt.id)
        writer.field("step", step)
        more(&writer)
        writer.key("prompt")
        PromptRecord.shape.write(record, to: &writer)
        writer.endObject()
        return event(record, type, key, writer.bytes, "\(step): \(prompt.title)", at: time, received: time)
    }

    /// - Parameter key: determines the event's id together with the prompt's id.
    private static func event(
        _ record: PromptRecord,
        _ type: EventType,
        _ key: String,
        _ payload: [UInt8],
        _ summary: String,
        at time: Timestamp,
        received: Timestamp
    ) -> MonitorEvent {
        let prompt = record.prompt
        return MonitorEvent(
            id: EventID(name: "\(prompt.id):\(key)", machine: prompt.machine),
            type: type,
            hookEventName: nil,
            timestamp: time,
            receivedAt: received,
            machine: prompt.machine,
            machineName: record.machineName,
            reportedMachineName: record.reportedMachineName,
            sessionID: prompt.sessionID,
            projectPath: nil,
            toolName: prompt.toolName,
            summary: summary,
            payload: payload,
            facts: SessionFacts()
        )
    }
}
