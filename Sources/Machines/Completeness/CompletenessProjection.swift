package import EventModel
package import Logging
package import Persistence

/// The table `stream_progress`: the numbers that have arrived, for each machine's streams and for their sessions.
package final class CompletenessProjection: FoldingProjection {
    package static let identity = ProjectionIdentity(name: "completeness", version: 1)

    package let name: String = CompletenessProjection.identity.name
    package let version: Int64 = CompletenessProjection.identity.version
    package let pacing: ProjectionPacing = .prompt
    package let tables: [String] = ["stream_progress"]

    /// Maximum number of entries that are kept in memory between writes.
    private static let capacity = 4096

    private let logger: Logger
    private var progress: [StreamKey: StreamProgress] = [:]
    private var changed: Set<StreamKey> = []

    package static func source(logger: Logger) -> ProjectionSource {
        ProjectionSource(identity.name, .folding { CompletenessProjection(logger: logger) })
    }

    init(logger: Logger) {
        self.logger = logger
    }

    package var changedRows: Int { changed.count }

    package func fold(_ events: [CommittedEvent], on connection: PQConnection) throws(PersistenceError) {
        let arrivals = events.flatMap(StreamArrival.all)
        guard !arrivals.isEmpty else { return }
        try lookUp(Set(arrivals.map(\.key)).filter { progress[$0] == nil }, on: connection)
        for arrival in arrivals {
            let isNew = progress[arrival.key, default: StreamProgress(firstSeq: arrival.seq)].numbers
                .insert(arrival.number, isOwnArrival: arrival.isOwn)
            if isNew { changed.insert(arrival.key) }
        }
    }

    package func statements() -> [(Statement, Parameters)] {
        let rows = changed.sorted().compactMap { key in progress[key].map { (key, $0) } }
        return rows.isEmpty ? [] : [(CompletenessStatements.upsert, CompletenessStatements.parameters(rows))]
    }

    package func written() {
        changed = []
        if progress.count > CompletenessProjection.capacity { progress = [:] }
    }

    package func forget() {
        progress = [:]
        changed = []
    }

    package func writeSingly(on connection: PQConnection) throws(PersistenceError) -> Int {
        var refused = 0
        for key in changed.sorted() {
            guard let row = progress[key] else { continue }
            do throws(PersistenceError) {
                let parameters = CompletenessStatements.parameters([(key, row)])
                _ = try connection.query(CompletenessStatements.upsert, parameters)
            } catch {
                guard error.isDataError else { throw error }
                refused += 1
            }
        }
        forget()
        if refused > 0 { logger.error("streams are not counted", metadata: ["streams": "\(refused)"]) }
        return refused
    }

    package func clear(through seq: Int64, on connection: PQConnection) throws(PersistenceError) {
        _ = try connection.query(CompletenessStatements.clear)
    }

    private func lookUp(_ keys: Set<StreamKey>, on connection: PQConnection) throws(PersistenceError) {
        guard !keys.isEmpty else { return }
        let parameters = CompletenessStatements.parameters(keys.sorted())
        for row in try connection.query(CompletenessStatements.read, parameters).rows {
            let key = try row.make(StreamKey.init(machine:stream:session:))
            let (numbers, firstSeq): (String, Int64) = try row.values(from: 3)
            // An unreadable entry starts from nothing.
            progress[key] = StreamProgress(firstSeq: firstSeq, numbers: NumberSet(stored: numbers) ?? NumberSet())
        }
    }
}

/// A stream of a machine, or the part of it that belongs to a session.
struct StreamKey: Hashable, Comparable {
    var machine: Int64
    var stream: String
    /// Empty for the whole stream.
    var session: String

    static func < (left: StreamKey, right: StreamKey) -> Bool {
        (left.machine, left.stream, left.session) < (right.machine, right.stream, right.session)
    }
}

struct StreamProgress {
    /// The first event that was counted.
    var firstSeq: Int64
    var numbers = NumberSet()
}

private struct StreamArrival {
    var key: StreamKey
    var number: Int64
    var seq: Int64
    var isOwn: Bool

    /// The arrivals of an event in its stream and, if it belongs to a session, in the session's part of the stream.
    static func all(_ committed: CommittedEvent) -> [StreamArrival] {
        let event = committed.event
        guard let stream = event.facts.stream else { return [] }
        let machine = event.machine.rawValue
        let isOwn = event.type != .streamNumber
        let whole = StreamKey(machine: machine, stream: stream.id, session: "")
        var found = [StreamArrival(key: whole, number: stream.number, seq: committed.seq, isOwn: isOwn)]
        if let session = event.sessionID, !session.isEmpty, let number = stream.sessionNumber {
            let part = StreamKey(machine: machine, stream: stream.id, session: session)
            found.append(StreamArrival(key: part, number: number, seq: committed.seq, isOwn: isOwn))
        }
        return found
    }
}
