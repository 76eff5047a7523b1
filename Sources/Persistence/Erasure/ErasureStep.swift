/// Deletes what one module has stored of the erased sessions.
///
/// The statements have no parameters. They read three temporary tables: `erased_scope`, one row with `machine_id` or
/// `workspace_id` of the scope, both NULL for a session; `erased_sessions` with `session_id`, `claude_id` (the id as
/// Claude Code names it) and `machine_id`; `erased_events` with `seq` and `event_id`. They run once on a connection, in
/// order, so one may create a temporary table, dropped on commit, for those after it.
package struct ErasureStep: Sendable {
    package var statements: [Statement]
    /// Its rows count as lines of transcripts in the report.
    package var isTranscript: Bool

    package init(_ statements: [Statement], isTranscript: Bool = false) {
        self.statements = statements
        self.isTranscript = isTranscript
    }
}
