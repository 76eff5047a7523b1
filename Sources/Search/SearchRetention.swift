package import Persistence

/// Deletes the texts of events that are dropped.
package enum SearchRetention {
    package static let steps: [RetentionStep] = [.portions(events, .ofEvents())]

    /// Follows the oldest seq of the log and ignores `$1`, because the rows have no time of receipt.
    private static let events = Statement(
        "forget_search_events",
        [.timestamptz, .int8],
        """
        DELETE FROM search_events WHERE seq IN (
            SELECT seq FROM search_events
            WHERE seq < (SELECT coalesce((SELECT min(seq) FROM events), last_seq + 1) FROM log_head)
                AND $1 IS NOT NULL LIMIT $2)
        """
    )
}
