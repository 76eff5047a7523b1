import EventModel
import JSON
import Sessions

/// SQL that `SessionProjection` writes prompts with.
enum PromptStatements {
    static let columns = RowColumns<Prompt>()
        .column("id", \.id).column("session_id", \.sessionID).column("machine_id", \.machine)
        .column("kind", \.kind).column("state", \.state).column("opened_at", \.openedAt)
        .column("prompt") { TextBytes(bytes: $0.stored()) }.column("request_id") { $0.requestedBy.map(Prompt.id) }
        .column("phase", \.phase).column("announced", \.announced)

    /// Run after the upsert of the sessions. The ids of the rows must be distinct.
    static let upsert = Statement(
        "upsert_prompts",
        columns.types,
        """
        INSERT INTO prompts (\(columns.names)) SELECT * FROM \(columns.unnest("p"))
        ON CONFLICT (id) DO UPDATE SET
            (machine_id, kind, state, opened_at, prompt, request_id, phase, announced)
            = (excluded.machine_id, excluded.kind, excluded.state, excluded.opened_at, excluded.prompt,
                excluded.request_id, excluded.phase, excluded.announced)
        """
    )

    static let byID = Statement("prompts_by_id", [.textArray], "SELECT prompt FROM prompts WHERE id = ANY ($1)")
}

extension Prompt {
    fileprivate func stored() -> [UInt8] {
        var writer = JSONWriter(reserving: 512)
        write(to: &writer)
        return writer.bytes
    }
}
