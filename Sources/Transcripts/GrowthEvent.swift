internal import EventModel
internal import JSON
internal import Sessions

/// The event that reports that a transcript has grown.
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
        if !content.copied.isEmpty {
            writer.beginObject("copied_from")
            for (session, requests) in content.copied.sorted(by: { $0.key < $1.key }) {
                writer.strings(session, requests.sorted())
            }
            writer.endObject()
        }
        writer.strings("marks", content.marks.suffix(TranscriptGrowth.keptMarks).map(\.description))
        writer.endObject()
        var facts = SessionFacts(agentID: content.agentID, detail: "growth")
        facts.report = content.report
        facts.model = content.model
        event = GrowthEvent.event(
            .transcript,
            named: "transcript \(piece.path) \(generation) \(end) \(content.lines.first?.offset ?? -1)",
            at: content.lastAt ?? piece.receivedAt,
            in: content,
            of: piece,
            summary: GrowthEvent.summary(messages: content.messages, lines: content.lines.count),
            payload: writer.bytes,
            facts: facts
        )
    }

    /// Returns the event with the counts of these lines.
    func counting(_ lines: some Sequence<StoredLine>) -> GrowthEvent {
        guard event.facts.report != nil else { return self }
        var growth = self
        for line in lines {
            growth.event.facts.report?.messages += line.count.messages
            growth.event.facts.report?.toolCalls += line.count.toolCalls
        }
        return growth
    }

    /// Makes an event if a person interrupted the turn, as one of the new lines says. Returns `nil` if no line says so
    /// or the line is more than a day old.
    static func interruption(_ content: PieceContent, of piece: TranscriptPiece) -> GrowthEvent? {
        guard let (time, isOfTool) = content.interruption, TranscriptGrowth.isNews(time, receivedAt: piece.receivedAt)
        else { return nil }
        return GrowthEvent(
            event(
                .sessionInterrupted,
                named: "interrupted \(piece.sessionID) \(time)",
                at: time,
                in: content,
                of: piece,
                summary: "interrupted at the terminal",
                payload: Array(#"{"by":"terminal"}"#.utf8),
                facts: SessionFacts(detail: isOfTool ? MonitorEvent.interruptedForTool : interrupted)
            )
        )
    }

    /// - Parameter name: determines the event's id, so that a repeated piece gives the same event.
    private static func event(
        _ type: EventType,
        named name: String,
        at time: Timestamp,
        in content: PieceContent,
        of piece: TranscriptPiece,
        summary: String,
        payload: [UInt8],
        facts: SessionFacts
    ) -> MonitorEvent {
        MonitorEvent(
            id: EventID(name: name, machine: piece.machine),
            type: type,
            hookEventName: nil,
            timestamp: time,
            receivedAt: piece.receivedAt,
            machine: piece.machine,
            machineName: piece.machineName,
            sessionID: piece.sessionID,
            projectPath: piece.projectPath ?? content.directory,
            toolName: nil,
            summary: summary,
            payload: payload,
            facts: facts
        )
    }

    /// The `detail` of the stored event, which identifies its type.
    private static let interrupted = "interrupted"

    static func type(_ facts: SessionFacts) -> EventType {
        facts.detail == interrupted || facts.detail == MonitorEvent.interruptedForTool
            ? .sessionInterrupted : .transcript
    }

    static func summary(messages: Int, lines: Int) -> String { "\(messages) messages in \(lines) lines" }
}
