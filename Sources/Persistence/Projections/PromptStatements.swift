import EventModel
import JSON
import Sessions

/// SQL that `SessionProjection` writes prompts with.
enum PromptStatements {
    /// Run after the upsert of the sessions. The ids of the rows must be distinct.
    static let upsert = Statement(
        "upsert_prompts",
        [
            .textArray, .textArray, .int8Array, .textArray, .textArray, .timestamptzArray, .textArray, .textArray,
            .int8Array, .int8Array,
        ],
        """
        INSERT INTO prompts (id, session_id, machine_id, kind, state, opened_at, prompt, request_id, phase, announced)
        SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        ON CONFLICT (id) DO UPDATE SET
            (machine_id, kind, state, opened_at, prompt, request_id, phase, announced)
            = (excluded.machine_id, excluded.kind, excluded.state, excluded.opened_at, excluded.prompt,
                excluded.request_id, excluded.phase, excluded.announced)
        """
    )

    static let byID = Statement("prompts_by_id", [.textArray], "SELECT prompt FROM prompts WHERE id = ANY ($1)")

    static func parameters(_ prompts: [Prompt]) -> Parameters {
        var parameters = Parameters(reserving: prompts.count * 1024 + 256)
        parameters.add(array: prompts.lazy.map(\.id))
        parameters.add(array: prompts.lazy.map(\.sessionID))
        parameters.add(array: prompts.lazy.map(\.machine.rawValue))
        parameters.add(array: prompts.lazy.map(\.kind.rawValue))
        parameters.add(array: prompts.lazy.map(\.state.rawValue))
        parameters.add(array: prompts.lazy.map(\.openedAt))
        parameters.add(array: prompts.lazy.map { TextBytes(bytes: $0.stored()) })
        parameters.add(array: prompts.lazy.map { $0.requestedBy.map(Prompt.id) })
        parameters.add(array: prompts.lazy.map(\.phase.rawValue))
        parameters.add(array: prompts.lazy.map(\.announced.rawValue))
        return parameters
    }
}

extension Prompt {
    fileprivate func stored() -> [UInt8] {
        var writer = JSONWriter(reserving: 512)
        write(to: &writer)
        return writer.bytes
    }
}
