/// Rebuilds the rows of a projection from the retained log, in one transaction. Readers see the previous rows until
/// it commits.
enum ProjectionRebuild {
    struct Outcome: Equatable, Sendable {
        /// Events read.
        var events: Int64 = 0
        /// The rows hold the log up to this position.
        var through: Int64 = 0
    }

    private static let pageEvents = 1000
    /// Number of changed rows at which they are written, within the transaction.
    private static let mostChangedRows = 2048

    /// Requires the lease. After an error the transaction is rolled back, or the connection is lost.
    static func run(
        _ projection: any FoldingProjection,
        on connection: PQConnection
    ) throws(PersistenceError) -> Outcome {
        projection.forget()
        do throws(PersistenceError) {
            let outcome = try runInTransaction(projection, on: connection)
            projection.forget()
            return outcome
        } catch {
            projection.forget()
            if !error.isConnectionLost { _ = try connection.query(ProjectionStatements.rollback) }
            throw error
        }
    }

    private static func runInTransaction(
        _ projection: any FoldingProjection,
        on connection: PQConnection
    ) throws(PersistenceError) -> Outcome {
        let name = ProjectionStatements.named(projection.name)
        _ = try connection.pipeline([
            (ProjectionStatements.begin, Parameters()), (insert, name), (ProjectionStatements.hold, name),
        ])
        let place = try ProjectionPlace.read(projection.name, on: connection)
        var outcome = Outcome(through: place.lastSeq)
        try projection.clear(through: place.cursor?.seq ?? 0, on: connection)
        var seq: Int64 = 0
        while seq < place.lastSeq {
            let page = try LogPage.read(after: seq, through: place.lastSeq, limit: pageEvents, on: connection)
            try projection.fold(page.events, on: connection)
            outcome.events += Int64(page.events.count)
            seq = page.through
            if projection.changedRows >= mostChangedRows || seq >= place.lastSeq {
                for (statement, parameters) in projection.statements() {
                    _ = try connection.query(statement, parameters)
                }
                projection.written()
            }
        }
        let end = Parameters(of: projection.name, projection.version, place.epoch, place.lastSeq)
        _ = try connection.query(finish, end)
        _ = try connection.query(ProjectionStatements.commit)
        return outcome
    }

    private static let insert = Statement(
        "insert_projection",
        [.text],
        """
        INSERT INTO projections (name, version, epoch, seq, moved_at) SELECT $1, 0, '', 0, now()
        ON CONFLICT (name) DO NOTHING
        """
    )

    private static let finish = Statement(
        "finish_rebuild",
        [.text, .int8, .text, .int8],
        """
        UPDATE projections SET (version, epoch, seq, generation, moved_at) = ($2, $3, $4, generation + 1, now())
        WHERE name = $1
        """
    )
}
