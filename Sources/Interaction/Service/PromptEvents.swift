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
        answer: PromptAnswer? = nil,
        risk: ToolRisk? = nil
    ) -> MonitorEvent {
        event(record, .promptUpdated, step.rawValue, key: "\(step.rawValue):\(key)", at: time) { writer in
            writer.field("device_id", deviceID)
            writer.field("risk", risk?.rawValue)
            if let answer {
                writer.key("answer")
                answer.write(to: &writer)
            }
        }
    }

    static func answer(_ answer: PromptAnswer, of record: PromptRecord) -> MonitorEvent {
        update(record, .answered, key: answer.id, at: answer.at, deviceID: answer.deviceID, answer: answer)
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
