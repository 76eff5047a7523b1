package import Persistence

/// Erases the searchable texts.
package enum SearchErasure {
    package static let steps = [
        ErasureStep([
            Statement(
                "erase_search_events",
                "DELETE FROM search_events WHERE session_id IN (SELECT session_id FROM erased_sessions)"
            )
        ])
    ]
}
