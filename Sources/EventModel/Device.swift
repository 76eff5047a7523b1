/// A paired device: its number in the database.
public struct DeviceID: Sendable, Hashable {
    public var rawValue: Int64

    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}

/// A paired device as it is listed.
public struct DeviceRecord: Sendable, Equatable {
    public enum State: String, Sendable {
        case active
        /// Its refresh tokens were revoked, by itself or because one was used twice. It can only be paired anew.
        case signedOut = "signed_out"
        case revoked
    }

    public var id: DeviceID
    public var name: String
    /// `nil`: the operator's.
    public var owner: String?
    public var platform: String?
    public var createdAt: Timestamp
    public var lastSeenAt: Timestamp
    public var revokedAt: Timestamp?
    public var state: State

    public init(
        id: DeviceID,
        name: String,
        owner: String?,
        platform: String?,
        createdAt: Timestamp,
        lastSeenAt: Timestamp,
        revokedAt: Timestamp?,
        state: State
    ) {
        self.id = id
        self.name = name
        self.owner = owner
        self.platform = platform
        self.createdAt = createdAt
        self.lastSeenAt = lastSeenAt
        self.revokedAt = revokedAt
        self.state = state
    }
}

/// An invitation as its maker follows it.
public struct PairingRecord: Sendable, Equatable {
    public var id: Int64
    public var expiresAt: Timestamp
    /// The device that came in by it.
    public var device: DeviceRecord?

    public init(id: Int64, expiresAt: Timestamp, device: DeviceRecord?) {
        self.id = id
        self.expiresAt = expiresAt
        self.device = device
    }
}
