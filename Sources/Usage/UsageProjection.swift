package import EventModel
package import Logging
package import Persistence

/// The cost that the client reports for a session, as a row.
struct SessionCostReading {
    var sessionID: String
    var machine: MachineID
    var cost: SessionCost
    var firstSeq: Int64
}

/// A request that the transcripts of several sessions contain, and one of these sessions.
struct CopiedRequest: Hashable {
    var sessionID: String
    var id: RequestReading.ID
}

/// Writes `usage_requests`, `usage_sessions`, `usage_copies` and `usage_streams`. Each request to a model counts once.
/// Telemetry and transcripts, and several machines, may report the same request.
package final class UsageProjection: FoldingProjection {
    package static let identity = ProjectionIdentity(name: "usage", version: 5)

    package let name: String = UsageProjection.identity.name
    package let version: Int64 = UsageProjection.identity.version
    package let pacing: ProjectionPacing = .prompt
    package let tables: [String] = ["usage_requests", "usage_sessions", "usage_copies", "usage_streams"]

    package static func source(_ prices: PriceList, logger: Logger) -> ProjectionSource {
        ProjectionSource(identity.name, .folding { UsageProjection(prices: prices, logger: logger) })
    }

    private let prices: PriceList
    private let logger: Logger
    private var requests: [RequestReading.ID: RequestReading] = [:]
    private var sessions: [String: SessionCostReading] = [:]
    /// With the first event that showed it.
    private var copies: [CopiedRequest: Int64] = [:]
    private var streams = TelemetryStreams()
    private var separated = SeparatedSessions()
    /// Models without a price that were logged.
    private var unpriced: Set<String> = []

    package init(prices: PriceList, logger: Logger) {
        self.prices = prices
        self.logger = logger
    }

    package var changedRows: Int {
        requests.count + sessions.count + copies.count + streams.changedRows + separated.count
    }

    package func fold(_ events: [CommittedEvent], on connection: PQConnection) throws(PersistenceError) {
        try streams.fold(events, on: connection)
        separated.fold(events)
        let reports = events.compactMap { event in event.event.facts.report.map { (event, $0, RequestOrigins(event)) } }
        let known = try OriginSessions(of: reports.reduce(into: []) { $0.formUnion($1.2.all) }, on: connection)
        var readings: [RequestReading] = []
        for (event, report, origins) in reports {
            for request in report.requests {
                let origin = origins.origin(of: request)
                let session = origin.map(known.sessionID)
                for reading in RequestReading.all(request, of: event, from: session, prices: prices) {
                    if let copier = reading.copiedBy { note(copier, repeats: reading) }
                    if origin.map(known.isErased) != true { readings.append(reading) }
                }
            }
            if let cost = report.cost, let session = event.event.sessionID { take(cost, of: session, event) }
        }
        let stored = try StoredAnswers(readings.filter { requests[$0.id] == nil }, on: connection)
        var isApart = false
        for reading in readings {
            if reading.isEstimate { warn(of: reading.usage.model ?? "none") }
            // Advice follows the answer that it is for.
            if reading.advises == nil { isApart = isOther(reading, than: stored) }
            take(isApart ? reading.apart : reading)
        }
    }

    private func isOther(_ reading: RequestReading, than stored: StoredAnswers) -> Bool {
        guard reading.hasSharedKey else { return false }
        let known = requests[reading.id]?.answered ?? stored[reading.id]
        return known.map { reading.answered.isOther(than: $0) } ?? false
    }

    private func warn(of model: String) {
        guard unpriced.count < 100, unpriced.insert(model).inserted else { return }
        logger.warning("the price list lacks a price; the cost is an estimate", metadata: ["model": "\(model)"])
    }

    private func note(_ session: String, repeats reading: RequestReading) {
        let copy = CopiedRequest(sessionID: session, id: reading.id)
        copies[copy] = min(copies[copy] ?? .max, reading.firstSeq)
    }

    private func take(_ reading: RequestReading) {
        guard var known = requests[reading.id] else {
            requests[reading.id] = reading
            return
        }
        // Changes to a stored row are found when the rows are written.
        if known.sessionID != reading.sessionID, !known.sessionID.isEmpty, !reading.sessionID.isEmpty {
            for session in [known.sessionID, reading.sessionID] {
                note(session, repeats: known)
                note(session, repeats: reading)
            }
        }
        known.merge(reading)
        requests[reading.id] = known
    }

    private func take(_ cost: SessionCost, of session: String, _ event: CommittedEvent) {
        if let known = sessions[session], known.cost.costUSD > cost.costUSD { return }
        let first = sessions[session]?.firstSeq ?? event.seq
        sessions[session] = SessionCostReading(
            sessionID: session,
            machine: event.event.machine,
            cost: cost,
            firstSeq: first
        )
    }

    package func statements() -> [(Statement, Parameters)] {
        let copied = (UsageProjectionStatements.insertCopies, UsageProjectionStatements.parameters(copies))
        let rows = statements(
            requests.values.sorted { ($0.key, $0.machine.rawValue) < ($1.key, $1.machine.rawValue) },
            sessions.values.sorted { $0.sessionID < $1.sessionID }
        )
        let pairs = RequestPairing(Array(requests.values)).statements
        return rows + (copies.isEmpty ? [] : [copied]) + pairs + separated.statements + streams.statements
    }

    private func statements(
        _ requests: [RequestReading],
        _ sessions: [SessionCostReading]
    ) -> [(Statement, Parameters)] {
        typealias SQL = UsageProjectionStatements
        let told = [(SQL.findCopies, SQL.tellers(requests)), (SQL.upsertRequests, SQL.parameters(requests))]
        return (requests.isEmpty ? [] : told)
            + (sessions.isEmpty ? [] : [(SQL.upsertSessions, SQL.parameters(sessions))])
    }

    package func written() {
        clearRows()
        streams.written()
        separated.written()
    }

    package func forget() {
        clearRows()
        streams = TelemetryStreams()
        separated.forget()
    }

    private func clearRows() {
        requests = [:]
        sessions = [:]
        copies = [:]
    }

    package func writeSingly(on connection: PQConnection) throws(PersistenceError) -> Int {
        var refused = 0
        let copied = (UsageProjectionStatements.insertCopies, UsageProjectionStatements.parameters(copies))
        let single =
            requests.values.map { statements([$0], []) } + sessions.values.map { statements([], [$0]) }
            + (copies.isEmpty ? [] : [[copied]]) + [RequestPairing(Array(requests.values)).statements]
            + [separated.statements] + streams.singleStatements.map { [$0] }
        for row in single {
            do throws(PersistenceError) {
                for (statement, parameters) in row { _ = try connection.query(statement, parameters) }
            } catch {
                guard error.isDataError else { throw error }
                refused += 1
            }
        }
        forget()
        if refused > 0 {
            logger.error("the database refuses the usage of requests", metadata: ["requests": "\(refused)"])
        }
        return refused
    }

    package func clear(through seq: Int64, on connection: PQConnection) throws(PersistenceError) {
        _ = try connection.query(UsageProjectionStatements.clearRequests)
        _ = try connection.query(UsageProjectionStatements.clearSessions)
        _ = try connection.query(UsageProjectionStatements.clearCopies)
        _ = try connection.query(UsageProjectionStatements.clearStreams)
    }
}
