package import Persistence

/// Entries that are linked: the link of each is the SHA-256 of the previous entry's link and its own digest. Therefore
/// no entry can be changed or removed unnoticed, except at the ends.
package enum AuditChain {
    /// An arbitrary number that no other lock uses.
    private static let lockNumber = 7_402_115_893

    fileprivate static let begin = Statement("begin_chain", "BEGIN")
    fileprivate static let lock = Statement("lock_chain", "SELECT pg_advisory_xact_lock(\(lockNumber))")
    fileprivate static let commit = Statement("commit_chain", "COMMIT")
    fileprivate static let rollback = Statement("rollback_chain", "ROLLBACK")

    /// SQL for the link of the entry that `table` gets next.
    /// - Parameter digest: SQL for the entry's digest.
    static func link(in table: String, to digest: String) -> String {
        """
        sha256(coalesce((SELECT link FROM \(table) ORDER BY id DESC LIMIT 1), decode(repeat('00', 32), 'hex'))
            || \(digest))
        """
    }
}

extension PQConnection {
    /// Runs the statements in one transaction. No other transaction that adds to a chain overlaps it.
    package func chained(_ calls: [(Statement, Parameters)]) throws(PersistenceError) -> [PQResult] {
        do throws(PersistenceError) {
            let ends = [(AuditChain.commit, Parameters())]
            let begins = [(AuditChain.begin, Parameters()), (AuditChain.lock, Parameters())]
            let results = try pipeline(begins + calls + ends)
            guard results.last?.commandTag == "COMMIT" else {
                throw PersistenceError(.malformedReply, "the transaction was rolled back by the server")
            }
            return Array(results.dropFirst(2).dropLast())
        } catch {
            if !error.isConnectionLost { _ = try? query(AuditChain.rollback) }
            throw error
        }
    }
}
