package import Persistence

/// Erases the counts of sessions. The counts of a machine's streams are erased only with the machine, because the
/// machine continues its numbering.
package enum CompletenessErasure {
    package static let steps = [
        ErasureStep([
            Statement(
                "erase_stream_progress",
                """
                DELETE FROM stream_progress p WHERE p.session_id IN (SELECT session_id FROM erased_sessions)
                    OR EXISTS (SELECT FROM erased_scope c WHERE p.machine_id = c.machine_id)
                """
            )
        ])
    ]
}
