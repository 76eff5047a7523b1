/// What a valid API key may do.
public struct APIKeyGrant: Sendable, Equatable {
    public var id: Int64
    public var name: String
    public var grants: Grants
    /// The models that a request may name; `nil` means any.
    public var models: [String]?
    /// US dollars that the key may spend in a day; `nil` means any sum.
    public var dailyBudget: Double?
    /// `nil` means the limit of all credentials.
    public var requestsPerMinute: Int64?
    /// The time from which the key is refused.
    public var expiresAt: Timestamp?
    /// The names of the MCP servers whose tools the key may run; `nil` means those of all that its capabilities cover.
    public var toolkits: [String]?
    /// The names of remote MCP servers. At these, calls of the key may use the operator's login and headers.
    public var shares: [String] = []

    public init(
        id: Int64,
        name: String,
        grants: Grants,
        models: [String]? = nil,
        dailyBudget: Double? = nil,
        requestsPerMinute: Int64? = nil,
        expiresAt: Timestamp? = nil
    ) {
        (self.id, self.name, self.grants, self.models) = (id, name, grants, models)
        (self.dailyBudget, self.requestsPerMinute, self.expiresAt) = (dailyBudget, requestsPerMinute, expiresAt)
    }

    /// A minute's requests at once, and then as many in each minute.
    public var rate: RateLimit? {
        requestsPerMinute.map { RateLimit(requestsPerSecond: Double($0) / 60, burst: Int($0)) }
    }
}

/// An API key as listed. The key itself is not stored.
public struct APIKeyRecord: Sendable, Equatable {
    public var grant: APIKeyGrant
    /// The first characters of the key.
    public var prefix: String
    public var createdAt: Timestamp
    /// The name of the principal in the audit log.
    public var createdBy: String
    public var lastUsedAt: Timestamp?
    public var revokedAt: Timestamp?

    public init(
        grant: APIKeyGrant,
        prefix: String,
        createdAt: Timestamp,
        createdBy: String,
        lastUsedAt: Timestamp?,
        revokedAt: Timestamp?
    ) {
        (self.grant, self.prefix, self.createdAt, self.createdBy) = (grant, prefix, createdAt, createdBy)
        (self.lastUsedAt, self.revokedAt) = (lastUsedAt, revokedAt)
    }
}
