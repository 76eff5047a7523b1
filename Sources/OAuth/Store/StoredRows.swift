package import EventModel
package import Persistence
internal import Signing

/// A login that has begun, without what is sealed.
struct LoginRow: Sendable {
    var stateSHA256: [UInt8]
    var key: ConnectionKey
    var browserSHA256: [UInt8]
    /// The name of the principal in the audit log.
    var startedBy: String
    var expiresAt: Timestamp

    var place: SecretPlace {
        let digits = stateSHA256.map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0" + text : text
        }
        return SecretPlace(table: "oauth_logins", row: digits.joined(), column: "login")
    }
}

/// The secrets of a connection, in the order of their columns.
struct ConnectionSecrets: Sendable {
    typealias Columns = (access: RawBytes?, refresh: RawBytes?, client: RawBytes?)

    let list: [(place: SecretPlace, secret: [UInt8])]
    private let hasRefresh: Bool
    private let hasClient: Bool

    init(_ key: ConnectionKey, _ tokens: IssuedGrant, clientSecret: String?) {
        let parts = [
            ("access_token", tokens.accessToken), ("refresh_token", tokens.refreshToken),
            ("client_secret", clientSecret),
        ]
        list = parts.compactMap { column, text in
            text.map { (ConnectionSecrets.place(column, key), Array($0.utf8)) }
        }
        (hasRefresh, hasClient) = (tokens.refreshToken != nil, clientSecret != nil)
    }

    static func place(_ column: String, _ key: ConnectionKey) -> SecretPlace {
        SecretPlace(table: "oauth_connections", row: key.row, column: column)
    }

    /// - Parameter sealed: the secrets of `list`, sealed.
    func columns(_ sealed: [RawBytes]) -> Columns {
        (sealed[0], hasRefresh ? sealed[1] : nil, hasClient ? sealed[hasRefresh ? 2 : 1] : nil)
    }
}

/// A row of `oauth_connections`.
package struct StoredConnection: Sendable {
    package var key: ConnectionKey
    package var isConnected: Bool
    /// Why a login is needed, as a word.
    package var reason: String?
    package var generation: Int64
    package var resource: String
    package var issuer: String
    var tokenEndpoint: String
    var revocationEndpoint: String?
    var clientID: String
    var clientSecret: [UInt8]?
    var sendsSecretInForm: Bool
    package var scope: String?
    var accessToken: [UInt8]?
    var refreshToken: [UInt8]?
    package var expiresAt: Timestamp?
    var refreshingUntil: Timestamp?
    package var connectedBy: String
    package var connectedAt: Timestamp
    package var refreshedAt: Timestamp?
    /// What the MCP server wants beyond the scope of the tokens; `nil` if nothing.
    package var wantedScope: String?

    var plan: RefreshPlan.State {
        RefreshPlan.State(
            isConnected: isConnected,
            generation: generation,
            hasAccessToken: accessToken != nil,
            hasRefreshToken: refreshToken != nil,
            expiresAt: expiresAt,
            refreshingUntil: refreshingUntil
        )
    }
}

extension StoredConnection: PGColumn {
    package static var columnCount: Int { 21 }

    package init(from row: PQRow, _ first: Int) throws(PersistenceError) {
        key = try row.make(from: first) { ConnectionKey(server: $0, account: $1) }
        let state: String
        (state, reason, generation) = try row.values(from: first + 2)
        isConnected = state == "connected"
        (resource, issuer, tokenEndpoint) = try row.values(from: first + 5)
        (revocationEndpoint, clientID, clientSecret) = try row.values(from: first + 8)
        (sendsSecretInForm, scope) = try row.values(from: first + 11)
        (accessToken, refreshToken) = try row.values(from: first + 13)
        (expiresAt, refreshingUntil) = try row.values(from: first + 15)
        (connectedBy, connectedAt, refreshedAt, wantedScope) = try row.values(from: first + 17)
    }
}
