internal import EventModel
internal import Persistence

extension MessageKind: PGEncodable {}

enum TranscriptStatements {
    static let begin = Statement("begin_transcript", "BEGIN ISOLATION LEVEL READ COMMITTED")
    static let commit = Statement("commit_transcript", "COMMIT")
    static let rollback = Statement("rollback_transcript", "ROLLBACK")

    /// If the lines of a file were erased, the file continues after them. It gets its path back with the next lines.
    static let file = Statement(
        "transcript_file",
        [.int8, .text, .text],
        """
        WITH erased AS (
            SELECT * FROM transcript_files WHERE (machine_id, path) = ($1, \(TranscriptErasure.hidden("$2")))
        ), known AS (
            INSERT INTO transcript_files
                (machine_id, path, session_id, generation, line_offset, prefix_length, prefix_hash)
            SELECT $1, $2, $3, 1, 0, 0, '' WHERE NOT EXISTS (SELECT FROM erased)
            ON CONFLICT (machine_id, path) DO UPDATE SET session_id = excluded.session_id
            RETURNING *
        )
        SELECT id, generation, line_offset, prefix_length, prefix_hash, last_at, answers FROM erased
        UNION ALL SELECT id, generation, line_offset, prefix_length, prefix_hash, last_at, answers FROM known
        """
    )

    /// Moves the file from where it was found; another server may have moved it.
    static let move = Statement(
        "move_transcript",
        [.int8, .int8, .int8, .int8, .int8, .int8, .bytea, .timestamptz, .text, .text, .text],
        """
        UPDATE transcript_files
        SET (generation, line_offset, prefix_length, prefix_hash, last_at, path, session_id, answers, updated_at)
            = ($4, $5, $6, $7, coalesce($8, last_at), $9, $10, $11, now())
        WHERE (id, generation, line_offset) = ($1, $2, $3)
        """
    )

    static func moving(_ update: FileUpdate, _ piece: TranscriptPiece) -> Parameters {
        Parameters(
            of: update.file.id,
            update.file.position.generation,
            update.file.position.lineOffset,
            update.position.generation,
            update.position.lineOffset,
            update.position.prefixLength,
            RawBytes(bytes: update.position.prefixHash),
            update.content.lastAt,
            piece.path,
            piece.sessionID,
            update.content.answers.stored
        )
    }

    private static let lineColumns = RowColumns<StoredLine>()
        .column("key", \.key).column("line_offset", \.offset).column("at", \.at).column("type", \.type)
        .column("agent_id", \.agentID).column("is_message") { $0.isMessage ? Int64(1) : 0 }
        .column("line") { TextBytes(bytes: $0.text) }
        .column("words", \.words).column("lexemes") { $0.words.map(SearchLexemes.vector) }
        .column("message_id", \.messageID).column("kind", \.kind)

    static let insertLines = Statement(
        "insert_transcript_lines",
        [.int8, .text, .int8, .timestamptz] + lineColumns.types,
        """
        INSERT INTO transcript_lines (machine_id, session_id, key, file_id, line_offset, at, type, agent_id,
            is_message, line, words, lexemes, message_id, kind, received_at)
        SELECT $1, $2, l.key, $3, l.line_offset, l.at, l.type, l.agent_id, l.is_message = 1, l.line, l.words,
            l.lexemes::tsvector, l.message_id, l.kind, $4
        FROM \(lineColumns.unnest("l", from: 5))
        ON CONFLICT (session_id, machine_id, key) DO NOTHING
        RETURNING line_offset
        """
    )

    static let withoutLexemes = Statement(
        "transcript_lines_without_lexemes",
        [.int8],
        """
        SELECT id, words FROM transcript_lines WHERE words IS NOT NULL AND lexemes IS NULL ORDER BY id DESC LIMIT $1
        """
    )

    static let lexemes = RowColumns<(id: Int64, words: String)>()
        .column("id", \.id).column("lexemes") { SearchLexemes.vector(of: $0.words) }

    static let setLexemes = Statement(
        "set_transcript_lexemes",
        lexemes.types,
        """
        UPDATE transcript_lines t SET lexemes = l.lexemes::tsvector FROM \(lexemes.unnest("l")) WHERE t.id = l.id
        """
    )

    static func lines(_ update: FileUpdate, _ piece: TranscriptPiece) -> Parameters {
        Parameters(
            of: piece.machine,
            piece.sessionID,
            update.file.id,
            piece.receivedAt,
            lineColumns.arrays(update.content.lines)
        )
    }

    static let insertGrowth = Statement(
        "insert_transcript_growth",
        [.uuid, .int8, .text, .text, .timestamptz, .timestamptz, .text, .text, .text],
        """
        INSERT INTO transcript_growth (event_id, machine_id, machine_name, session_id, occurred_at, received_at,
            project_path, payload, facts)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        ON CONFLICT (event_id) DO NOTHING
        """
    )

    static func growth(_ growth: GrowthEvent) -> Parameters {
        let event = growth.event
        return Parameters(
            of: event.id,
            event.machine,
            event.machineName,
            event.sessionID,
            event.timestamp,
            event.receivedAt,
            event.projectPath,
            TextBytes(bytes: event.payload),
            TextBytes(bytes: event.facts.stored() ?? Array("{}".utf8))
        )
    }

    static let growth = Statement(
        "transcript_growth",
        [.int8],
        """
        SELECT event_id, machine_id, machine_name, session_id, occurred_at, received_at, project_path, payload, facts
        FROM transcript_growth ORDER BY received_at LIMIT $1
        """
    )

    static let forgetGrowth = Statement(
        "forget_transcript_growth",
        [.uuid],
        "DELETE FROM transcript_growth WHERE event_id = $1"
    )
}
