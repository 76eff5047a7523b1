internal import EventModel
internal import Persistence

/// Rows of `usage_streams`, which record what is missing of each session's telemetry.
struct TelemetryStreams {
    struct Row {
        var machine: Int64
        var runs = RecordRuns()
        /// Whether the process ended without reporting it, so that its last records are lost.
        var isCutOff = false
        var firstSeq: Int64
    }

    /// Rows that are remembered between writes.
    private static let capacity = 4096

    private var rows: [String: Row] = [:]
    private var changed: Set<String> = []

    var changedRows: Int { changed.count }

    mutating func fold(_ events: [CommittedEvent], on connection: PQConnection) throws(PersistenceError) {
        let told = events.filter { event in
            event.event.sessionID != nil
                && (event.event.facts.report?.numbers != nil || event.event.type == .sessionGone)
        }
        guard !told.isEmpty else { return }
        try lookUp(Set(told.compactMap(\.event.sessionID)).filter { rows[$0] == nil }, on: connection)
        for committed in told { try take(committed, on: connection) }
    }

    private mutating func take(_ committed: CommittedEvent, on connection: PQConnection) throws(PersistenceError) {
        guard let session = committed.event.sessionID else { return }
        let machine = committed.event.machine.rawValue
        var row = rows[session] ?? Row(machine: machine, firstSeq: committed.seq)
        let isNew = rows[session] == nil
        if let numbers = committed.event.facts.report?.numbers {
            guard row.runs.insert(numbers) else { return }
            // After /clear, the process continues its count in a new session.
            if isNew, let first = row.runs.openStart,
                try goesOn(after: first - 1, of: machine, not: session, on: connection)
            {
                row.runs.closeStart()
            }
        } else {
            row.isCutOff = true
        }
        rows[session] = row
        changed.insert(session)
    }

    /// Whether the numbers of this session continue those of another session of the machine.
    private func goesOn(
        after number: Int64,
        of machine: Int64,
        not session: String,
        on connection: PQConnection
    ) throws(PersistenceError) -> Bool {
        let isKnown = rows.contains { $0.key != session && $0.value.machine == machine && $0.value.ends(with: number) }
        if isKnown { return true }
        let stored = try connection.query(Statements.endingWith, Parameters(of: machine, number, session))
        return stored.rows.contains { _ in true }
    }

    private mutating func lookUp(_ sessions: Set<String>, on connection: PQConnection) throws(PersistenceError) {
        guard !sessions.isEmpty else { return }
        for row in try connection.query(Statements.read, Parameters(of: sessions.sorted())).rows {
            let (session, machine, runs): (String, Int64, String) = try row.values()
            let (isCutOff, firstSeq): (Int64, Int64) = try row.values(from: 3)
            // A row that cannot be decoded starts anew.
            rows[session] = Row(
                machine: machine,
                runs: RecordRuns(stored: runs) ?? RecordRuns(),
                isCutOff: isCutOff == 1,
                firstSeq: firstSeq
            )
        }
    }

    var statements: [(Statement, Parameters)] {
        let written = changed.sorted().compactMap { session in rows[session].map { (session, $0) } }
        return written.isEmpty ? [] : [(Statements.upsert, TelemetryStreams.parameters(written))]
    }

    /// One for each row.
    var singleStatements: [(Statement, Parameters)] {
        changed.sorted().compactMap { session in
            rows[session].map { (Statements.upsert, TelemetryStreams.parameters([(session, $0)])) }
        }
    }

    mutating func written() {
        changed = []
        if rows.count > TelemetryStreams.capacity { rows = [:] }
    }

    private static func parameters(_ rows: [(session: String, row: Row)]) -> Parameters {
        Parameters(of: Statements.columns.arrays(rows))
    }
}

extension TelemetryStreams.Row {
    fileprivate func ends(with number: Int64) -> Bool { runs.parts.last?.last == number }
}

private enum Statements {
    static let read = Statement(
        "usage_streams",
        [.textArray],
        """
        SELECT s.session_id, s.machine_id, s.numbers, s.is_cut_off, s.first_seq
        FROM unnest($1) AS w (session_id) JOIN usage_streams s USING (session_id)
        """
    )

    static let endingWith = Statement(
        "usage_streams_ending",
        [.int8, .int8, .text],
        "SELECT 1 FROM usage_streams WHERE machine_id = $1 AND last_number = $2 AND session_id <> $3 LIMIT 1"
    )

    static let columns = RowColumns<(session: String, row: TelemetryStreams.Row)>()
        .column("session_id", \.session)
        .column("machine_id", \.row.machine)
        .column("numbers", \.row.runs.stored)
        .column("missing", \.row.runs.missing)
        .column("last_number") { $0.row.runs.parts.last?.last ?? -1 }
        .column("is_cut_off") { $0.row.isCutOff ? Int64(1) : 0 }
        .column("first_seq", \.row.firstSeq)

    static let upsert = Statement(
        "upsert_usage_streams",
        columns.types,
        """
        INSERT INTO usage_streams (\(columns.names)) SELECT * FROM \(columns.unnest("r"))
        ON CONFLICT (session_id) DO UPDATE SET
            (numbers, missing, last_number, is_cut_off)
            = (excluded.numbers, excluded.missing, excluded.last_number, excluded.is_cut_off)
        """
    )
}
