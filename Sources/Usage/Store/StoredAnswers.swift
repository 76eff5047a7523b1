internal import EventModel
internal import Persistence

/// An answer of a transcript whose ids others may have too.
struct KnownAnswer: Equatable {
    var sessionID: String
    /// `nil` for the main agent.
    var agentID: String?
    /// Tokens of the prompt.
    var prompt: Int64

    /// Whether this is another request, although the ids are the same: a gateway may give all answers the same ones.
    /// Each session, and each subagent, has a file in which the answers are told apart; those of two files differ in
    /// their prompts. A copy of an answer has the same prompt.
    func isOther(than known: KnownAnswer) -> Bool {
        let isElsewhere = (known.sessionID, known.agentID) != (sessionID, agentID)
        return isElsewhere && known.prompt != prompt && known.prompt > 0 && prompt > 0
    }
}

/// The stored rows that have the keys of new answers.
struct StoredAnswers {
    private var answers: [RequestReading.ID: KnownAnswer] = [:]

    /// Reads only rows that an answer of another session or agent may have written.
    init(_ readings: [RequestReading], on connection: PQConnection) throws(PersistenceError) {
        let wanted = Set(readings.lazy.filter(\.hasSharedKey).map(\.id))
        guard !wanted.isEmpty else { return }
        let parameters = Parameters(of: StoredAnswers.columns.arrays(Array(wanted)))
        for row in try connection.query(StoredAnswers.statement, parameters).rows {
            let id = try row.make(RequestReading.ID.init(key:machine:))
            answers[id] = try row.make(from: 2, KnownAnswer.init(sessionID:agentID:prompt:))
        }
    }

    subscript(id: RequestReading.ID) -> KnownAnswer? { answers[id] }

    private static let columns = RowColumns<RequestReading.ID>().column("key", \.key).column("machine_id", \.machine)

    /// Each key is looked up in the index.
    private static let statement = Statement(
        "stored_usage_answers",
        columns.types,
        """
        SELECT w.key, w.machine_id, u.session_id, u.agent_id,
            u.input_tokens + u.cache_read_tokens + u.cache_write_5m_tokens + u.cache_write_1h_tokens
        FROM \(columns.unnest("w")) CROSS JOIN LATERAL (
            SELECT * FROM usage_requests r WHERE (r.key, r.machine_id) = (w.key, w.machine_id) LIMIT 1) AS u
        """
    )
}
