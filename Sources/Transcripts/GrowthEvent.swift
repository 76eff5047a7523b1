internal import EventModel
internal import JSON

/// The event that tells that a transcript has grown.
struct GrowthEvent: Sendable {
    var event: MonitorEvent

    init(_ event: MonitorEvent) {
        self.event = event
    }

    init(_ content: PieceContent, of piece: TranscriptPiece, generation: Int64, at end: Int64) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("path", piece.path)
        writer.field("session_id", piece.sessionID)
        writer.field("agent_id", content.agentID)
        writer.field("lines", content.lines.count)
        writer.field("messages", content.messages)
        writer.field("bytes", piece.bytes.count)
        writer.field("generation", generation)
        writer.endObject()
        var facts = SessionFacts(agentID: content.agentID, title: content.title, detail: "growth")
        facts.report = content.report
        event = MonitorEvent(
            id: EventID(
                name: "transcript \(piece.path) \(generation) \(end) \(content.lines.first?.offset ?? -1)",
                machine: piece.machine
            ),
            type: .transcript,
            hookEventName: nil,
            timestamp: content.lastAt ?? piece.receivedAt,
            receivedAt: piece.receivedAt,
            machine: piece.machine,
            machineName: piece.machineName,
            sessionID: piece.sessionID,
            projectPath: piece.projectPath ?? content.directory,
            toolName: nil,
            summary: GrowthEvent.summary(messages: content.messages, lines: content.lines.count),
            payload: writer.bytes,
            facts: facts
        )
    }

    static func summary(messages: Int, lines: Int) -> String { "\(messages) messages in \(lines) lines" }
}
