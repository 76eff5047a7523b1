/// The transaction that writes rows of a projection and moves its cursor.
enum ProjectionTransaction {
    /// One round trip. After an error the transaction is rolled back, or the connection is lost.
    ///
    /// - Returns: the new cursor, or `nil` if the cursor was not at the expected position; then nothing was written.
    static func commit(
        _ calls: [(Statement, Parameters)],
        from cursor: ProjectionCursor,
        to seq: Int64,
        _ name: String,
        on connection: PQConnection
    ) throws(PersistenceError) -> ProjectionCursor? {
        let parameters = Parameters(of: name, cursor.version, cursor.epoch, cursor.seq, cursor.generation, seq)
        // The cursor comes first: the lock of its row serializes this transaction with others that change the tables.
        let all =
            [(ProjectionStatements.begin, Parameters()), (ProjectionStatements.move, parameters)] + calls
            + [(ProjectionStatements.commit, Parameters())]
        do throws(PersistenceError) {
            let results = try connection.pipeline(all)
            guard results.last?.commandTag == "COMMIT" else {
                throw PersistenceError(.malformedReply, "the transaction was rolled back by the server")
            }
            return results[1].affectedRows == 1 ? cursor.moved(to: seq) : nil
        } catch {
            guard !error.isConnectionLost else { throw error }
            _ = try connection.query(ProjectionStatements.rollback)
            if error.sqlState == .notNullViolation, try ProjectionPlace.read(name, on: connection).cursor != cursor {
                return nil
            }
            throw error
        }
    }
}
