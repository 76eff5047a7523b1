internal import Audit
package import Persistence

/// Erases answers and messages, and their texts in the audit chain.
package enum InteractionErasure {
    private static let isErased = """
        EXISTS (SELECT FROM erased_sessions s
            WHERE t.machine_id = s.machine_id AND t.session_id IN (s.session_id, s.claude_id))
        """

    package static let steps = [
        ErasureStep([
            Statement(
                "erase_holds",
                """
                DELETE FROM prompt_holds t WHERE \(isErased) OR t.prompt_id IN (
                    SELECT p.id FROM prompts p JOIN erased_sessions s USING (session_id))
                """
            ),
            Statement("erase_answers", "DELETE FROM prompt_answers t WHERE \(isErased)"),
            Statement("erase_messages", "DELETE FROM session_messages t WHERE \(isErased)"),
            Statement("erase_posters", "DELETE FROM session_posters t WHERE \(isErased)"),
            TrailStatements.erase,
        ])
    ]
}
