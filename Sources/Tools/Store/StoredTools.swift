internal import EventModel
internal import JSON
internal import Persistence

/// A server as it is stored.
struct StoredServer: Sendable {
    var id: String
    var machine: MachineID
    var machineName: String
    var scope: String
    var path: String?
    var name: String
    var transport: String
    var state: String
    var reason: String?
    var isComplete: Bool
    var createdAt: Timestamp
    var refreshedAt: Timestamp
    var toolCount: Int64
    /// Tools that wait for a person.
    var changedCount: Int64
    /// Only of a remote server.
    var url: String?
    /// A JSON array.
    var headerNames: [UInt8]?
    var trustsHints: Bool?
    var listedAt: Timestamp?
    var nextListingAt: Timestamp?
}

extension StoredServer: PGColumn {
    static var columnCount: Int { 19 }

    init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        (
            id, machine, machineName, scope, path, name, transport, state, reason, isComplete, createdAt, refreshedAt,
            toolCount, changedCount
        ) = try row.values(from: column)
        (url, headerNames, trustsHints, listedAt, nextListingAt) = try row.values(from: column + 14)
    }
}

/// A tool as it is stored, with its server.
struct StoredTool: Sendable {
    var serverID: String
    var server: String
    var machine: MachineID
    var machineName: String
    var scope: String
    var path: String?
    var serverState: String
    var name: String
    var pinned: ToolDefinition
    var offered: ToolDefinition?
    var createdAt: Timestamp
    var changedAt: Timestamp?
    var acceptedBy: String?
    var acceptedAt: Timestamp?

    /// What may be done with it.
    enum State: String, CaseIterable, Sendable {
        /// Its definition is pinned.
        case ready
        /// The server gives another definition, which waits for a person.
        case changed
        /// Only its name is known.
        case unlisted
    }

    var state: State { offered != nil ? .changed : pinned.isNameOnly ? .unlisted : .ready }
}

extension StoredTool: PGColumn {
    static var columnCount: Int { 16 }

    init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        let (definition, digest): ([UInt8], String)
        let (offer, offeredDigest): ([UInt8]?, String?)
        (
            serverID, server, machine, machineName, scope, path, serverState, name, definition, digest, offer,
            offeredDigest, createdAt, changedAt, acceptedBy, acceptedAt
        ) = try row.values(from: column)
        pinned = ToolDefinition(stored: definition, digest: digest)
        offered = offer.map { ToolDefinition(stored: $0, digest: offeredDigest ?? "") }
    }
}

/// Which tools are asked for.
struct ToolSelection: Sendable {
    var machine: MachineID?
    /// Servers of scope `user`, and those of this directory.
    var path: String?
    /// The id or the name.
    var server: String?
    var limit = 50
    var offset = 0
}

extension ToolQuery {
    init(_ words: String, in selection: ToolSelection) {
        self.init(words, limit: selection.limit)
        (machines, path, server) = (selection.machine.map { [$0] }, selection.path, selection.server)
        offset = selection.offset
    }
}
