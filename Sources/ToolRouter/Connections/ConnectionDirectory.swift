package import EventModel
package import HTTPModel

/// The user of a program whose connections are asked for. The key's own rights apply as well.
package struct ConnectionOwner: Sendable, Equatable {
    package var key: APIKeyGrant
    /// The program's name for its user.
    package var userID: String

    package init(key: APIKeyGrant, userID: String) { (self.key, self.userID) = (key, userID) }
}

/// Whether the tools of a toolkit can be called for a user.
package struct ToolkitConnection: Sendable, Equatable {
    package enum State: String, Sendable, CaseIterable {
        /// Nobody needs to log in.
        case none = "NO_AUTH"
        case active = "ACTIVE"
        /// A link was made, and the user has not completed the login.
        case initiated = "INITIATED"
        /// There was a login, but it is no longer valid.
        case expired = "EXPIRED"
        /// The user has to log in.
        case missing = "MISSING"
    }

    package var state: State
    /// The account that a call uses if it names none.
    package var account: ConnectedAccount?

    package init(_ state: State, account: ConnectedAccount? = nil) { (self.state, self.account) = (state, account) }

    package static let noLogin = ToolkitConnection(.none)

    /// Whether calls can be made.
    package var isUsable: Bool { state == .none || state == .active }
}

/// A connected account as it appears in other answers.
package struct ConnectedAccount: Sendable, Equatable {
    package var id: String
    package var userID: String
    /// A status of the dialect in upper case, such as `ACTIVE`.
    package var status: String
    package var authConfigID: String
    package var authScheme: String
    package var createdAt: Timestamp

    package init(
        id: String,
        userID: String,
        status: String,
        authConfigID: String,
        authScheme: String,
        createdAt: Timestamp
    ) {
        (self.id, self.userID, self.status) = (id, userID, status)
        (self.authConfigID, self.authScheme, self.createdAt) = (authConfigID, authScheme, createdAt)
    }
}

/// A link by which a user logs in.
package struct ConnectionLink: Sendable, Equatable {
    package var accountID: String
    package var token: String
    package var url: String
    package var expiresAt: Timestamp

    package init(accountID: String, token: String, url: String, expiresAt: Timestamp) {
        (self.accountID, self.token, self.url, self.expiresAt) = (accountID, token, url, expiresAt)
    }
}

/// What the tool router asks of connected accounts. May be used on any task.
package protocol ConnectionDirectory: Sendable {
    /// The connections of the toolkits, by their slugs. A toolkit that the answer lacks needs no login.
    func connections(
        of owner: ConnectionOwner,
        to toolkits: [RouterToolkit]
    ) async throws(APIError) -> [String: ToolkitConnection]

    /// Begins a login. Throws 4308 or 4326 of `RouterFault` for a toolkit that has none.
    ///
    /// - Parameters:
    ///   - callback: where the user's browser goes afterwards.
    ///   - alias: the program's name for the account.
    ///   - origin: the server's address, as the program uses it.
    func link(
        _ owner: ConnectionOwner,
        to toolkit: RouterToolkit,
        callback: String?,
        alias: String?,
        at origin: String
    ) async throws(APIError) -> ConnectionLink

    /// Returns when all toolkits are connected, a login has failed, or the time is over.
    func wait(
        for owner: ConnectionOwner,
        to toolkits: [RouterToolkit],
        seconds: Double
    ) async throws(APIError) -> [String: ToolkitConnection]

    /// The account whose login a call uses; `nil` for the login that all share. Throws if the call cannot be made.
    ///
    /// - Parameter wish: the account that the caller names, by its id or its alias.
    func account(
        of owner: ConnectionOwner,
        for toolkit: RouterToolkit,
        wish: String?
    ) async throws(APIError) -> String?
}

/// What a directory of connections needs to know of a toolkit.
package struct RouterToolkit: Sendable, Equatable {
    package var slug: String
    package var serverID: String
    /// The server's name.
    package var name: String
    /// Whether the monitor itself calls the server.
    package var isRemote: Bool

    package init(slug: String, serverID: String, name: String, isRemote: Bool) {
        (self.slug, self.serverID, self.name, self.isRemote) = (slug, serverID, name, isRemote)
    }
}

/// Treats all servers as if they needed no login.
package struct NoLogins: ConnectionDirectory {
    package init() {}

    package func connections(
        of owner: ConnectionOwner,
        to toolkits: [RouterToolkit]
    ) async throws(APIError) -> [String: ToolkitConnection] { [:] }

    package func link(
        _ owner: ConnectionOwner,
        to toolkit: RouterToolkit,
        callback: String?,
        alias: String?,
        at origin: String
    ) async throws(APIError) -> ConnectionLink { throw RouterFault.noLogin(toolkit.slug) }

    package func wait(
        for owner: ConnectionOwner,
        to toolkits: [RouterToolkit],
        seconds: Double
    ) async throws(APIError) -> [String: ToolkitConnection] { [:] }

    package func account(
        of owner: ConnectionOwner,
        for toolkit: RouterToolkit,
        wish: String?
    ) async throws(APIError) -> String? { nil }
}
