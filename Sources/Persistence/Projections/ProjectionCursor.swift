/// A row of `projections`: the progress of a projection's tables.
package struct ProjectionCursor: Equatable, Sendable {
    var version: Int64
    var epoch: String
    /// The tables hold all events up to this position.
    var seq: Int64
    /// Changes when another process changes the tables.
    var generation: Int64

    func moved(to seq: Int64) -> ProjectionCursor {
        var next = self
        next.seq = seq
        return next
    }
}

extension ProjectionCursor: PGColumn {
    package static var columnCount: Int { 4 }

    package init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        (version, epoch, seq, generation) = try row.values(from: column)
    }
}

/// A cursor and the end of the log.
package struct ProjectionPlace: Equatable {
    /// `nil` if the projection has never run.
    package var cursor: ProjectionCursor?
    var epoch: String
    var lastSeq: Int64

    package static func read(_ name: String, on connection: PQConnection) throws(PersistenceError) -> ProjectionPlace {
        guard let row = try connection.query(ProjectionStatements.place, Parameters(of: name)).firstRow else {
            throw PersistenceError(.malformedReply, "log_head has no row")
        }
        let (epoch, lastSeq, cursor): (String, Int64, ProjectionCursor?) = try row.values()
        return ProjectionPlace(cursor: cursor, epoch: epoch, lastSeq: lastSeq)
    }
}

/// SQL that all projections share.
enum ProjectionStatements {
    static let place = Statement(
        "projection_place",
        [.text],
        """
        SELECT h.epoch, h.last_seq, p.version, p.epoch, p.seq, p.generation
        FROM log_head h LEFT JOIN projections p ON p.name = $1
        """
    )

    /// Moves the cursor from `$2`-`$5` to `$6`. If the cursor differs, `seq` becomes NULL, which violates its
    /// constraint and aborts the transaction.
    static let move = Statement(
        "move_projection",
        [.text, .int8, .text, .int8, .int8, .int8],
        """
        UPDATE projections SET moved_at = now(), seq =
            CASE WHEN (version, epoch, seq, generation) = ($2, $3, $4, $5) THEN $6 END
        WHERE name = $1
        """
    )

    /// Held until commit; the projection cannot write meanwhile. Take it before locking rows of its tables and before
    /// `log_head`.
    static let hold = Statement(
        "hold_projection",
        [.text],
        "SELECT FROM projections WHERE name = $1 FOR UPDATE"
    )

    /// Makes the projection discard its cached state of its tables.
    static let touch = Statement(
        "touch_projection",
        [.text],
        "UPDATE projections SET generation = generation + 1 WHERE name = $1"
    )

    static let begin = Statement("begin_projection", "BEGIN ISOLATION LEVEL READ COMMITTED")
    static let commit = Statement("commit_projection", "COMMIT")
    static let rollback = Statement("rollback_projection", "ROLLBACK")

    static let takeLease = Statement("take_lease", [.text], "SELECT pg_try_advisory_lock(projection_lease($1))")
    static let dropLease = Statement("drop_lease", [.text], "SELECT pg_advisory_unlock(projection_lease($1))")

    /// The lease holder. An eight-byte advisory lock key is stored in two columns (manual, 54.12).
    static let leaseHolder = Statement(
        "lease_holder",
        [.text],
        """
        SELECT a.pid::bigint, a.application_name, coalesce(host(a.client_addr), 'a unix socket'), a.backend_start
        FROM pg_locks l JOIN pg_stat_activity a USING (pid)
        WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
            AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
            AND (l.classid::bigint << 32 | l.objid::bigint) = projection_lease($1)
        """
    )

    static let notify = Statement("notify_log", [.text], "SELECT pg_notify('\(LogNotice.channel)', $1)")

    static func named(_ name: String) -> Parameters {
        Parameters(of: name)
    }
}
