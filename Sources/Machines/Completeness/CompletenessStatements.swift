internal import Persistence

/// SQL of the projection `completeness`.
enum CompletenessStatements {
    private static let keys = RowColumns<StreamKey>()
        .column("machine_id", \.machine).column("stream_id", \.stream).column("session_id", \.session)

    private static let rows = RowColumns<(key: StreamKey, progress: StreamProgress)>()
        .column("machine_id", \.key.machine).column("stream_id", \.key.stream).column("session_id", \.key.session)
        .column("numbers", \.progress.numbers.stored).column("missing", \.progress.numbers.missing)
        .column("recovered", \.progress.numbers.recovered).column("first_seq", \.progress.firstSeq)

    static let read = Statement(
        "stream_progress",
        keys.types,
        """
        SELECT p.machine_id, p.stream_id, p.session_id, p.numbers, p.first_seq
        FROM \(keys.unnest("w"))
        JOIN stream_progress p USING (machine_id, stream_id, session_id)
        """
    )

    static func parameters(_ keys: [StreamKey]) -> Parameters { Parameters(of: self.keys.arrays(keys)) }

    static let upsert = Statement(
        "upsert_stream_progress",
        rows.types,
        """
        INSERT INTO stream_progress (\(rows.names)) SELECT * FROM \(rows.unnest("r"))
        ON CONFLICT (machine_id, stream_id, session_id) DO UPDATE SET
            (numbers, missing, recovered) = (excluded.numbers, excluded.missing, excluded.recovered)
        """
    )

    static func parameters(_ rows: [(key: StreamKey, progress: StreamProgress)]) -> Parameters {
        Parameters(of: self.rows.arrays(rows))
    }

    /// Deletes the rows that can be rebuilt from the retained log. The other rows stay. They already include the events
    /// that are folded again.
    static let clear = Statement(
        "clear_stream_progress",
        """
        DELETE FROM stream_progress
        WHERE first_seq >= (SELECT coalesce((SELECT min(seq) FROM events), last_seq + 1) FROM log_head)
        """
    )

    static let sessions = Statement(
        "completeness_of_sessions",
        [.textArray],
        """
        SELECT session_id, sum(recovered)::bigint, sum(missing)::bigint FROM stream_progress
        WHERE session_id = ANY ($1) AND session_id <> '' GROUP BY 1
        """
    )

    /// A number that is missing in the stream and in a session counts for the session only.
    static let machines = Statement(
        "completeness_of_machines",
        """
        SELECT machine_id, sum(recovered)::bigint, sum(missing)::bigint FROM (
            SELECT machine_id, sum(recovered) FILTER (WHERE session_id = '') AS recovered,
                greatest(coalesce(sum(missing) FILTER (WHERE session_id = ''), 0)
                    - coalesce(sum(missing) FILTER (WHERE session_id <> ''), 0), 0) AS missing
            FROM stream_progress GROUP BY machine_id, stream_id
        ) AS s GROUP BY 1
        """
    )
}
