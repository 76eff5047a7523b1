public import EventModel
public import JSON

extension Session {
    /// The session as REST shows it: the monitor's names, and beside them those of OpenAI-style clients
    /// (`session_id`, `project_id`, `name`, `model`, `created_at`, `updated_at`, `last_activity`, `is_active`,
    /// `total_tokens`).
    public func write(to writer: inout JSONWriter, now: Timestamp) {
        let status = status(now: now)
        writer.beginObject()
        writer.field("id", id)
        writer.field("session_id", id)
        writer.field("name", name)
        writer.field("machine_id", reportedMachineName ?? machineName)
        writer.field("machine_name", machineName)
        writer.field("workspace_id", workspaceID)
        writer.field("project_id", workspaceID)
        writer.field("project_path", projectPath)
        writer.field("status", status.rawValue)
        writer.field("state", state.rawValue)
        if let waitingFor {
            writer.key("waiting_for")
            waitingFor.write(to: &writer)
        }
        writer.field("started_at", startedAt.description)
        writer.field("created_at", startedAt.description)
        writer.field("last_activity_at", lastActivityAt.description)
        writer.field("updated_at", lastActivityAt.description)
        writer.field("last_activity", lastActivityAt.description)
        writer.field("ended_at", endedAt?.description)
        writer.field("end_reason", endReason)
        writer.field("is_active", status == .active)
        writeCounts(to: &writer)
        writer.field("current_model", currentModel)
        writer.field("model", currentModel)
        writer.field("permission_mode", permissionMode)
        writer.field("title", title)
        writer.field("last_seq", lastSeq)
        writer.endObject()
    }

    /// The title; before there is one, the directory's last part, or the id.
    private var name: String {
        title ?? projectPath?.split { $0 == "/" || $0 == "\\" }.last.map(String.init) ?? id
    }

    private func writeCounts(to writer: inout JSONWriter) {
        writer.field("message_count", messageCount)
        writer.field("tool_call_count", toolCallCount)
        writer.beginObject("token_usage")
        writer.field("input_tokens", tokenUsage.input)
        writer.field("output_tokens", tokenUsage.output)
        writer.field("cache_read_tokens", tokenUsage.cacheRead)
        writer.field("cache_creation_tokens", tokenUsage.cacheCreation)
        writer.endObject()
        writer.field("total_tokens", tokenUsage.total)
        writer.field("total_cost", totalCost)
    }
}

extension Session.WaitingFor {
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("kind", kind.rawValue)
        writer.field("tool_name", toolName)
        writer.field("tool_use_id", toolUseID)
        writer.field("since", since.description)
        writer.endObject()
    }
}
