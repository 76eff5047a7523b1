internal import EventModel
public import JSON

extension PromptRecord {
    /// The prompt as REST shows it.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("id", prompt.id)
        writer.field("kind", prompt.kind.rawValue)
        writer.field("state", prompt.state.rawValue)
        writer.field("session_id", prompt.sessionID)
        writer.field("machine_id", reportedMachineName ?? machineName)
        writer.field("machine_name", machineName)
        writer.field("workspace_id", prompt.workspaceID)
        writer.textOrNull("agent_id", prompt.agentID)
        writer.field("tool_name", prompt.toolName)
        writer.field("tool_use_id", prompt.toolUseID)
        writer.field("title", prompt.title)
        writer.field("detail", prompt.detail)
        writer.field("question", prompt.question)
        writer.field("opened_at", prompt.openedAt.description)
        writer.field("closed_at", prompt.closedAt?.description)
        writer.field("answerable", false)
        writeAnswer(to: &writer)
        writeLife(to: &writer)
        writer.endObject()
    }

    private func writeAnswer(to writer: inout JSONWriter) {
        guard let answerer = prompt.answeredBy else { return }
        writer.beginObject("answer")
        writer.field("decision", prompt.decision?.rawValue)
        writer.beginObject("by")
        writer.field("kind", answerer.rawValue)
        writer.endObject()
        writer.field("at", prompt.closedAt?.description)
        writer.endObject()
    }

    /// The steps of the prompt that events show, each with the event.
    private func writeLife(to writer: inout JSONWriter) {
        writer.beginArray("life")
        writeStep("opened", prompt.openedAt.description, prompt.openedBy.description, to: &writer)
        if let closedAt = prompt.closedAt {
            writeStep(prompt.state.rawValue, closedAt.description, prompt.evidence?.description, to: &writer)
        }
        writer.endArray()
    }

    private func writeStep(_ step: String, _ time: String, _ evidence: String?, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("step", step)
        writer.field("at", time)
        writer.field("evidence", evidence)
        writer.endObject()
    }
}
