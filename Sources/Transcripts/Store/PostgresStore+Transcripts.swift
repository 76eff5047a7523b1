internal import EventModel
internal import Persistence

/// A transcript file as stored in the database.
struct StoredFile: Equatable, Sendable {
    var id: Int64
    var position: FilePosition
    var lastAt: Timestamp?
    var answers: AnswerTracker
}

/// The changes that a piece makes.
struct FileUpdate: Sendable {
    var file: StoredFile
    var position: FilePosition
    var content: PieceContent
    /// The events that are logged if lines are new.
    var events: [GrowthEvent]
}

extension PostgresStore {
    static let leftoverPage = 100

    /// Adds the file if it is not known yet.
    func transcriptFile(
        of machine: MachineID,
        path: String,
        session: String
    ) async throws(PersistenceError) -> StoredFile {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: machine, path, session)
            guard let row = try connection.query(TranscriptStatements.file, parameters).firstRow else {
                throw PersistenceError(.malformedReply, "an upsert has no row")
            }
            var position = FilePosition()
            (position.generation, position.lineOffset, position.prefixLength) = try row.values(from: 1)
            position.prefixHash = try row.value(4)
            return StoredFile(
                id: try row.value(),
                position: position,
                lastAt: try row.value(5),
                answers: AnswerTracker(stored: try row.value(6))
            )
        }
    }

    /// Returns the events of the lines that were not stored before, with their counts; none if all lines were. Returns
    /// `nil` and changes nothing if the file is no longer where `update` found it.
    func addTranscriptLines(
        _ update: FileUpdate,
        of piece: TranscriptPiece
    ) async throws(PersistenceError) -> [GrowthEvent]? {
        try await run { connection throws(PersistenceError) in
            do throws(PersistenceError) {
                return try add(update, of: piece, on: connection)
            } catch {
                if !error.isConnectionLost { _ = try? connection.query(TranscriptStatements.rollback) }
                throw error
            }
        }
    }

    /// Makes the lexemes of lines that were stored before the server made any, the newest first.
    ///
    /// - Returns: the number of lines; 0 if no such line is left.
    func addLexemes(atMost limit: Int64) async throws(PersistenceError) -> Int {
        try await run { connection throws(PersistenceError) in
            let found = try connection.query(TranscriptStatements.withoutLexemes, Parameters(of: limit))
            let lines = try found.map { row throws(PersistenceError) -> (id: Int64, words: String) in
                (id: try row.value(), words: try row.value(1))
            }
            guard !lines.isEmpty else { return 0 }
            let parameters = Parameters(of: TranscriptStatements.lexemes.arrays(lines))
            _ = try connection.query(TranscriptStatements.setLexemes, parameters)
            return lines.count
        }
    }

    func forgetGrowth(_ id: EventID) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            _ = try connection.query(TranscriptStatements.forgetGrowth, Parameters(of: id))
        }
    }

    func leftoverGrowth() async throws(PersistenceError) -> [GrowthEvent] {
        try await run { connection throws(PersistenceError) in
            let limit = Parameters(of: Int64(PostgresStore.leftoverPage))
            return try connection.query(TranscriptStatements.growth, limit).map(GrowthEvent.init(_:))
        }
    }
}

private func add(
    _ update: FileUpdate,
    of piece: TranscriptPiece,
    on connection: PQConnection
) throws(PersistenceError) -> [GrowthEvent]? {
    typealias SQL = TranscriptStatements
    let moved = try connection.pipeline([
        (SQL.begin, Parameters()), (SQL.move, SQL.moving(update, piece)),
    ])
    guard moved[1].affectedRows == 1 else {
        _ = try connection.query(SQL.rollback)
        return nil
    }
    var events: [GrowthEvent] = []
    if !update.content.lines.isEmpty {
        let places: [Int64] = try connection.query(SQL.insertLines, SQL.lines(update, piece)).values()
        let added = Set(places)
        let lines = update.content.lines.filter { added.contains($0.offset) }
        if !lines.isEmpty { events = update.events.map { $0.counting(lines) } }
    }
    let calls = events.map { (SQL.insertGrowth, SQL.growth($0)) }
    let results = try connection.pipeline(calls + [(SQL.commit, Parameters())])
    guard results.last?.commandTag == "COMMIT" else {
        throw PersistenceError(.malformedReply, "the transaction was rolled back by the server")
    }
    return events
}

extension GrowthEvent {
    fileprivate init(_ row: PQRow) throws(PersistenceError) {
        let (id, machine, machineName): (EventID, MachineID, String) = try row.values()
        let (session, at, receivedAt): (String, Timestamp, Timestamp) = try row.values(from: 3)
        let (projectPath, payload, stored): (String?, [UInt8], [UInt8]) = try row.values(from: 6)
        let facts = SessionFacts(stored: stored)
        self.init(
            MonitorEvent(
                id: id,
                type: GrowthEvent.type(facts),
                hookEventName: nil,
                timestamp: at,
                receivedAt: receivedAt,
                machine: machine,
                machineName: machineName,
                sessionID: session,
                projectPath: projectPath,
                toolName: nil,
                summary: "messages",
                payload: payload,
                facts: facts
            )
        )
    }
}
