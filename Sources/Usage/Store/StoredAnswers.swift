internal import EventModel
internal import Persistence

/// The stored rows that have the keys of new answers.
struct StoredAnswers {
    private var answers: [RequestReading.ID: (sessionID: String, prompt: Int64)] = [:]

    /// Reads only rows that another session's answer may have written.
    init(_ readings: [RequestReading], on connection: PQConnection) throws(PersistenceError) {
        let wanted = Set(readings.lazy.filter(\.hasSharedKey).map(\.id))
        guard !wanted.isEmpty else { return }
        let parameters = Parameters(of: StoredAnswers.columns.arrays(Array(wanted)))
        for row in try connection.query(StoredAnswers.statement, parameters).rows {
            let id = try row.make(RequestReading.ID.init(key:machine:))
            let (sessionID, prompt): (String, Int64) = try row.values(from: 2)
            answers[id] = (sessionID: sessionID, prompt: prompt)
        }
    }

    subscript(id: RequestReading.ID) -> (sessionID: String, prompt: Int64)? { answers[id] }

    private static let columns = RowColumns<RequestReading.ID>().column("key", \.key).column("machine_id", \.machine)

    /// Each key is looked up in the index.
    private static let statement = Statement(
        "stored_usage_answers",
        columns.types,
        """
        SELECT w.key, w.machine_id, u.session_id,
            u.input_tokens + u.cache_read_tokens + u.cache_write_5m_tokens + u.cache_write_1h_tokens
        FROM \(columns.unnest("w")) CROSS JOIN LATERAL (
            SELECT * FROM usage_requests r WHERE (r.key, r.machine_id) = (w.key, w.machine_id) LIMIT 1) AS u
        """
    )
}
