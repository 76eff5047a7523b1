internal import Persistence

/// SQL of the projection `completeness`.
enum CompletenessStatements {
    static let read = Statement(
        "stream_progress",
        [.int8Array, .textArray, .textArray],
        """
        SELECT p.machine_id, p.stream_id, p.session_id, p.numbers, p.first_seq
        FROM unnest($1, $2, $3) AS w (machine_id, stream_id, session_id)
        JOIN stream_progress p USING (machine_id, stream_id, session_id)
        """
    )

    static func parameters(_ keys: [StreamKey]) -> Parameters {
        var parameters = Parameters(reserving: keys.count * 128 + 64)
        parameters.add(array: keys.lazy.map(\.machine))
        parameters.add(array: keys.lazy.map(\.stream))
        parameters.add(array: keys.lazy.map(\.session))
        return parameters
    }

    static let upsert = Statement(
        "upsert_stream_progress",
        [.int8Array, .textArray, .textArray, .textArray, .int8Array, .int8Array, .int8Array],
        """
        INSERT INTO stream_progress (machine_id, stream_id, session_id, numbers, missing, recovered, first_seq)
        SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT (machine_id, stream_id, session_id) DO UPDATE SET
            (numbers, missing, recovered) = (excluded.numbers, excluded.missing, excluded.recovered)
        """
    )

    static func parameters(_ rows: [(key: StreamKey, progress: StreamProgress)]) -> Parameters {
        var parameters = Parameters(reserving: rows.count * 256 + 64)
        parameters.add(array: rows.lazy.map(\.key.machine))
        parameters.add(array: rows.lazy.map(\.key.stream))
        parameters.add(array: rows.lazy.map(\.key.session))
        parameters.add(array: rows.lazy.map(\.progress.numbers.stored))
        parameters.add(array: rows.lazy.map(\.progress.numbers.missing))
        parameters.add(array: rows.lazy.map(\.progress.numbers.recovered))
        parameters.add(array: rows.lazy.map(\.progress.firstSeq))
        return parameters
    }

    /// Rows that the retained log can make anew. The others stay, and what is folded again is in them already.
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

    /// A number of the stream that is missing in a session too is missing there.
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
