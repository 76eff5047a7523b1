/// A person who may sign in with Apple, as listed.
public struct AppleIdentityRecord: Sendable, Equatable {
    public var id: Int64
    /// Apple's name for the person.
    public var subject: String
    public var email: String?
    /// The identity was admitted by an invitation, otherwise by the allowlist.
    public var wasInvited: Bool
    public var boundAt: Timestamp
    public var lastSeenAt: Timestamp
    /// Number of devices that are not revoked.
    public var deviceCount: Int64

    public init(
        id: Int64,
        subject: String,
        email: String?,
        wasInvited: Bool,
        boundAt: Timestamp,
        lastSeenAt: Timestamp,
        deviceCount: Int64
    ) {
        self.id = id
        self.subject = subject
        self.email = email
        self.wasInvited = wasInvited
        self.boundAt = boundAt
        self.lastSeenAt = lastSeenAt
        self.deviceCount = deviceCount
    }
}
