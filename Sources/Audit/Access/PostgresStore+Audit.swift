package import Persistence

extension PostgresStore {
    /// Adds a row to the chain.
    package func audit(_ entry: AuditEntry) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(
                of: entry.at,
                entry.actor,
                entry.action,
                entry.object,
                entry.result,
                entry.peer,
                entry.requestID,
                entry.attempts
            )
            _ = try connection.chained([(AuditStatements.add, parameters)])
        }
    }

    /// Newest first.
    package func auditLog(_ query: AuditQuery) async throws(PersistenceError) -> [AuditRecord] {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: query.before, query.actor, query.action, query.result, Int64(query.limit))
            return try connection.query(AuditStatements.page, parameters).map { row throws(PersistenceError) in
                AuditRecord(id: try row.value(), entry: try row.make(from: 1, AuditEntry.init))
            }
        }
    }
}

package enum AuditStatements {
    fileprivate static let add = Statement(
        "audit_access",
        [.timestamptz, .text, .text, .text, .text, .text, .text, .int8],
        """
        INSERT INTO access_audit (at, actor, action, object, result, peer, request_id, attempts, digest, link)
        SELECT $1, $2, $3, $4, $5, $6, $7, $8, n.digest, \(AuditChain.link(in: "access_audit", to: "n.digest"))
        FROM (SELECT access_audit_digest($1, $2, $3, $4, $5, $6, $7, $8) AS digest) n
        """
    )

    fileprivate static let page = Statement(
        "audit_log",
        [.int8, .text, .text, .text, .int8],
        """
        SELECT id, at, actor, action, object, result, peer, request_id, attempts FROM access_audit
        WHERE ($1 IS NULL OR id < $1) AND ($2 IS NULL OR actor = $2) AND ($3 IS NULL OR action = $3)
            AND ($4 IS NULL OR result = $4)
        ORDER BY id DESC LIMIT $5
        """
    )

    /// Deletes the rows before a time.
    package static let forget = Statement(
        "forget_audit",
        [.timestamptz],
        "DELETE FROM access_audit WHERE at < $1"
    )
}
