package import EventModel
package import Logging
package import Persistence

/// Records grants, refusals and revocations of access.
package struct AccessAudit: Sendable {
    package let database: any StoreAccess
    package let clock: @Sendable () -> Timestamp
    package let logger: Logger
    private let tally = SharedAuditTally()

    package init(database: any StoreAccess, clock: @escaping @Sendable () -> Timestamp, logger: Logger) {
        (self.database, self.clock, self.logger) = (database, clock, logger)
    }

    /// Writes to the log and to the database. If the database fails, the action still stands, and the log has the
    /// record. Refusals that anyone can cause are counted instead.
    package func record(_ entry: AuditEntry) async {
        let line: Logger.Metadata = [
            "action": "\(entry.action)", "object": "\(entry.object ?? "-")", "result": "\(entry.result)",
            "peer": "\(entry.peer)", "request_id": "\(entry.requestID)",
        ]
        logger.log(level: entry.result == AuditResult.reuse.word ? .warning : .info, "access", metadata: line)
        if entry.actor != "admin", AccessAudit.isRepeatable(entry.result) { return tally.note(entry) }
        await write(entry)
    }

    /// A wrong credential that may be a guess of the admin token. Does no I/O.
    package func noteGuess(peer: String, requestID: String) {
        tally.note(
            AuditEntry(
                at: clock(),
                actor: "anonymous",
                action: AuditAction.guess.rawValue,
                object: nil,
                result: AuditResult.unknown.word,
                peer: peer,
                requestID: requestID
            )
        )
    }

    /// Call every few seconds.
    package func writeTally() async {
        for entry in tally.due(now: clock()) { await write(entry) }
    }

    /// Call once, at the end.
    package func writeRest() async {
        for entry in tally.rest() { await write(entry) }
    }

    /// Approvals, waiting requests and revoked families occur a bounded number of times per invitation or token.
    private static func isRepeatable(_ result: String) -> Bool {
        ![AuditResult.granted, .pending, .reuse].contains { $0.word == result }
    }

    private func write(_ entry: AuditEntry) async {
        do {
            try await database.store().audit(entry)
        } catch {
            logger.error(
                "audit row not written",
                metadata: ["request_id": "\(entry.requestID)", "error": "\(error)"]
            )
        }
    }
}
