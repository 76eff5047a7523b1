package import Persistence

/// Deletes conversations after the retention of events.
package enum TranscriptRetention {
    package static let steps: [RetentionStep] = [.portions(lines, .ofEvents()), .portions(files, .ofEvents())]

    private static let lines = Statement(
        "forget_transcript_lines",
        [.timestamptz, .int8],
        """
        DELETE FROM transcript_lines WHERE id IN (
            SELECT id FROM transcript_lines WHERE received_at < $1 ORDER BY received_at LIMIT $2)
        """
    )

    /// If a deleted file grows again, it is read from its beginning.
    private static let files = Statement(
        "forget_transcript_files",
        [.timestamptz, .int8],
        """
        DELETE FROM transcript_files WHERE id IN (SELECT id FROM transcript_files WHERE updated_at < $1 LIMIT $2)
        """
    )
}
