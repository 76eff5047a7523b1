package import Persistence

package enum TrailStatements {
    /// The parameters of `insert`: those of a `TrailEntry`.
    package static let types: [PGType] = [.text, .timestamptz, .text, .text]

    /// SQL that adds an entry whose key is new.
    /// - Parameter condition: must be true as well. Its own parameters begin at `$5`.
    package static func insert(if condition: String = "true") -> String {
        let digest = "sha256(convert_to($4, 'UTF8'))"
        return """
            INSERT INTO answer_audit (key, at, session_id, entry, digest, link)
            SELECT $1, $2, $3, $4, \(digest), \(AuditChain.link(in: "answer_audit", to: digest))
            WHERE NOT EXISTS (SELECT 1 FROM answer_audit WHERE key = $1) AND \(condition)
            """
    }

    fileprivate static let add = Statement("add_to_trail", types, insert())

    fileprivate static let page = Statement(
        "trail",
        [.int8, .int8],
        "SELECT id, at, entry, digest, link FROM answer_audit WHERE id > $1 ORDER BY id LIMIT $2"
    )

    /// Erases the texts of the entries of erased sessions. Digests and links stay, so that the chain can still be
    /// verified.
    package static let erase = Statement(
        "erase_trail",
        """
        UPDATE answer_audit SET (entry, session_id) = (NULL, '')
        WHERE session_id IN (SELECT session_id FROM erased_sessions)
        """
    )
}

extension TrailEntry: PGParameter {
    package func add(to parameters: inout Parameters) {
        key.add(to: &parameters)
        at.add(to: &parameters)
        sessionID.add(to: &parameters)
        TextBytes(bytes: text).add(to: &parameters)
    }
}

extension PostgresStore {
    /// Adds entries to the chain, in order. Entries whose key is known are skipped.
    package func record(_ entries: [TrailEntry]) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            _ = try connection.chained(entries.map { (TrailStatements.add, Parameters(of: $0)) })
        }
    }

    /// The entries after the one with this id, in the order of the chain.
    package func trail(after id: Int64, limit: Int) async throws(PersistenceError) -> [TrailRecord] {
        try await run { connection throws(PersistenceError) in
            try connection.query(TrailStatements.page, Parameters(of: id, Int64(limit))).map {
                row throws(PersistenceError) in
                try row.make(TrailRecord.init)
            }
        }
    }
}
