internal import Audit
internal import EventModel
internal import JSON
internal import Sessions

/// What the chain records of prompts.
extension TrailEntry {
    static func answered(_ prompt: Prompt, _ answer: PromptAnswer, isLate: Bool) -> TrailEntry {
        let action = isLate ? "prompt.answer.late" : "prompt.answer"
        return TrailEntry("\(action):\(prompt.id):\(answer.id)", answer.at, prompt.sessionID) { writer in
            writer.field("action", action)
            TrailEntry.write(prompt, to: &writer)
            writer.key("answer")
            answer.write(to: &writer)
        }
    }

    /// The entries for a closed prompt: the answer that counts, and what became of it.
    static func closing(_ prompt: Prompt) -> [TrailEntry] {
        let end = prompt.steps.last { $0.name == "applied" || $0.name == "late" }
        return [prompt.answer.map { .answered(prompt, $0, isLate: false) }, end.map { .settled(prompt, $0) }]
            .compactMap(\.self)
    }

    /// The entry for a device that read a prompt with nothing masked. A device has one for each prompt.
    static func revealed(_ prompt: Prompt, deviceID: String?, name: String?, at time: Timestamp) -> TrailEntry {
        TrailEntry("prompt.reveal:\(prompt.id):\(deviceID ?? "operator")", time, prompt.sessionID) { writer in
            writer.field("action", "prompt.reveal")
            TrailEntry.write(prompt, to: &writer)
            writer.beginObject("by")
            writer.field("kind", deviceID == nil ? Prompt.Answerer.operator.rawValue : Prompt.Answerer.device.rawValue)
            writer.field("id", deviceID)
            writer.field("name", name)
            writer.endObject()
        }
    }

    /// The entry for what became of the answer, with the event that shows it.
    private static func settled(_ prompt: Prompt, _ step: PromptStep) -> TrailEntry {
        TrailEntry("prompt.\(step.name):\(prompt.id)", step.at, prompt.sessionID) { writer in
            writer.field("action", "prompt.\(step.name)")
            TrailEntry.write(prompt, to: &writer)
            writer.field("evidence", step.evidence?.description)
        }
    }

    private static func write(_ prompt: Prompt, to writer: inout JSONWriter) {
        writer.field("prompt_id", prompt.id)
        writer.field("session_id", prompt.sessionID)
        writer.field("machine_id", String(prompt.machine.rawValue))
        writer.field("kind", prompt.kind.rawValue)
        writer.field("tool_name", prompt.toolName)
        writer.field("detail", prompt.detail)
        writer.field("risk", prompt.risk?.rawValue)
    }
}
