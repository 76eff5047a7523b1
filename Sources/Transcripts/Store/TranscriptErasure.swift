package import Persistence

/// Erases conversations.
package enum TranscriptErasure {
    package static let steps: [ErasureStep] = [
        ErasureStep(
            [
                Statement(
                    "erase_transcript_lines",
                    """
                    DELETE FROM transcript_lines l USING erased_sessions s
                    WHERE (l.session_id, l.machine_id) = (s.claude_id, s.machine_id)
                    """
                )
            ],
            isTranscript: true
        ),
        ErasureStep([
            Statement(
                "erase_transcript_growth",
                """
                DELETE FROM transcript_growth g USING erased_sessions s
                WHERE (g.session_id, g.machine_id) = (s.claude_id, s.machine_id)
                """
            ),
            Statement(
                "erase_transcript_files",
                """
                UPDATE transcript_files f SET (path, session_id, answers) = (\(hidden("f.path")), '', NULL)
                FROM erased_sessions s
                WHERE (f.session_id, f.machine_id) = (s.claude_id, s.machine_id)
                """
            ),
        ]),
    ]

    /// A digest that replaces the path of an erased file. The row with the file's offset stays, so that the machine
    /// does not send the erased lines again.
    static func hidden(_ path: String) -> String {
        "'erased:' || encode(sha256(convert_to(\(path), 'UTF8')), 'hex')"
    }
}
