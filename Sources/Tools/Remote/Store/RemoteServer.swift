internal import EventModel
internal import HTTPClient
internal import JSON
internal import Persistence
internal import Signing

/// A remote server as it is stored.
struct RemoteServer: Sendable {
    static let scope = "remote"

    var id: String
    var name: String
    var url: String
    /// A JSON array.
    var headerNames: [UInt8]
    /// A JSON object, sealed.
    var headers: [UInt8]?
    /// A person believes what the server says of its tools.
    var trustsHints: Bool
    var changedAt: Timestamp
    var listedAt: Timestamp?
    var failures: Int64

    static func id(of name: String) -> String {
        ToolName.serverID(machine: .monitor, scope: scope, path: nil, name: name)
    }

    /// Where the headers are stored.
    static func secret(of id: String) -> SecretPlace {
        SecretPlace(table: "remote_mcp_servers", row: id, column: "headers")
    }

    /// What a listing shows of the server, in the form in which a machine reports one of its own.
    func report(_ result: Result<RemoteListing, RemoteFault>) -> ServerReport.Server {
        var server = ServerReport.Server(
            id: id,
            name: name,
            scope: RemoteServer.scope,
            path: nil,
            transport: "http",
            state: "connected",
            reason: nil,
            isListed: false,
            isComplete: false,
            tools: []
        )
        switch result {
        case .success(let listing):
            (server.isListed, server.isComplete, server.tools) = (true, listing.isComplete, listing.tools)
        case .failure(let fault):
            server.state = if case .unauthorized = fault { "needs-auth" } else { "failed" }
            server.reason = PlainText.lines(fault.text, atMost: 300)
        }
        return server
    }
}

extension RemoteServer: PGColumn {
    static var columnCount: Int { 9 }

    init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        (id, name, url, headerNames, headers, trustsHints, changedAt, listedAt, failures) =
            try row.values(from: column)
    }
}
