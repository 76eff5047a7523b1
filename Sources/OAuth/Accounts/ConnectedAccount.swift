package import EventModel
package import Persistence

/// The owner of an account: a user of a program, identified by the program's key and its name for the user.
package struct AccountOwner: Sendable, Hashable {
    package let apiKey: Int64
    package let user: String

    package init(apiKey: Int64, user: String) {
        (self.apiKey, self.user) = (apiKey, user)
    }
}

/// A login of a program's user at a remote MCP server, without its tokens.
package struct StoredAccount: Sendable {
    package enum State: String, Sendable {
        case initializing, initiated, active, failed, revoked
    }

    /// What is known of the tokens.
    package struct Login: Sendable {
        package var isConnected: Bool
        package var reason: String?
        package var resource: String
        package var scope: String?
        package var wantedScope: String?
        package var expiresAt: Timestamp?
        package var clientID: String
        /// Whether this server has registered the client itself.
        package var isRegistered: Bool
    }

    package var id: String
    package var owner: AccountOwner
    package var keyName: String
    package var serverID: String
    /// The server's name.
    package var server: String
    package var alias: String?
    package var state: State
    package var reason: String?
    package var linkExpiresAt: Timestamp?
    package var callbackURL: String?
    package var createdAt: Timestamp
    package var updatedAt: Timestamp
    /// The URL of the server.
    var url: String
    /// `nil` if there are no tokens.
    package var login: Login?

    /// Where the tokens are.
    var key: ConnectionKey { ConnectionKey(server: serverID, account: id) }
}

extension StoredAccount: PGColumn {
    package static var columnCount: Int { 22 }

    package init(from row: PQRow, _ first: Int) throws(PersistenceError) {
        (id, keyName, serverID, server, alias) = try row.values(from: first)
        owner = try row.make(from: first + 5) { AccountOwner(apiKey: $0, user: $1) }
        let name: String
        (name, reason, linkExpiresAt, callbackURL) = try row.values(from: first + 7)
        guard let state = State(rawValue: name) else {
            throw PersistenceError(.malformedReply, "an account has an unknown state")
        }
        self.state = state
        (createdAt, updatedAt, url) = try row.values(from: first + 11)
        guard let login: String = try row.value(first + 14) else { return }
        let (reason, resource, scope): (String?, String, String?) = try row.values(from: first + 15)
        let (wanted, expiresAt, client): (String?, Timestamp?, String) = try row.values(from: first + 18)
        self.login = Login(
            isConnected: login == "connected",
            reason: reason,
            resource: resource,
            scope: scope,
            wantedScope: wanted,
            expiresAt: expiresAt,
            clientID: client,
            isRegistered: try row.value(first + 21)
        )
    }
}

/// Selects the accounts of a list. The latest comes first.
package struct AccountSelection: Sendable {
    /// `nil` means the accounts of all keys.
    package var apiKey: Int64?
    /// Empty means any, also in the following lists.
    package var users: [String] = []
    package var servers: [String] = []
    package var ids: [String] = []
    package var statuses: Set<AccountStatus> = []
    package var after: ListCursor?
    package var limit = 50

    package init(apiKey: Int64?) {
        self.apiKey = apiKey
    }
}
