/// A paired device: its number in the database.
public struct DeviceID: Sendable, Hashable {
    public var rawValue: Int64

    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}

/// A paired device as it is listed.
public struct DeviceRecord: Sendable, Equatable {
    public enum State: String, Sendable, CaseIterable {
        case active
        /// The device's refresh tokens were revoked, by the device itself or because one was used twice. The device
        /// must be paired again.
        case signedOut = "signed_out"
        case revoked
    }

    public var id: DeviceID
    public var name: String
    /// `nil` means that the device belongs to the operator.
    public var owner: String?
    public var platform: String?
    public var createdAt: Timestamp
    public var lastSeenAt: Timestamp
    public var revokedAt: Timestamp?
    public var state: State
    public var grants: Grants
    /// The ids of the valid machine keys that the device has made. They stay valid when the device is revoked.
    public var keys: [Int64]

    public init(
        id: DeviceID,
        name: String,
        owner: String?,
        platform: String?,
        createdAt: Timestamp,
        lastSeenAt: Timestamp,
        revokedAt: Timestamp?,
        state: State,
        grants: Grants,
        keys: [Int64] = []
    ) {
        self.id = id
        self.name = name
        self.owner = owner
        self.platform = platform
        self.createdAt = createdAt
        self.lastSeenAt = lastSeenAt
        self.revokedAt = revokedAt
        self.state = state
        self.grants = grants
        self.keys = keys
    }
}

/// An invitation, as shown to its creator.
public struct PairingRecord: Sendable, Equatable {
    /// The state of a device's request for approval.
    public enum RequestState: String, Sendable, CaseIterable {
        /// No device has asked, or none needs to ask.
        case none
        case pending
        case approved
        case rejected
    }

    public var id: Int64
    public var expiresAt: Timestamp
    public var request: RequestState
    /// The device that was paired with the invitation.
    public var device: DeviceRecord?

    public init(id: Int64, expiresAt: Timestamp, request: RequestState, device: DeviceRecord?) {
        self.id = id
        self.expiresAt = expiresAt
        self.request = request
        self.device = device
    }
}

/// A device that presented a valid code or token and waits for a person's approval.
public struct PairingRequest: Sendable, Equatable {
    /// The id of its invitation.
    public var id: Int64
    /// The name that the device reports.
    public var name: String
    public var platform: String?
    public var peer: String
    public var requestedAt: Timestamp
    public var expiresAt: Timestamp
    /// What the device may do once it is let in, as the invitation says.
    public var capabilities: [Capability]

    /// - Parameter capabilities: with spaces between.
    public init(
        id: Int64,
        name: String,
        platform: String?,
        peer: String,
        requestedAt: Timestamp,
        expiresAt: Timestamp,
        capabilities: String
    ) {
        self.id = id
        self.name = name
        self.platform = platform
        self.peer = peer
        self.requestedAt = requestedAt
        self.expiresAt = expiresAt
        self.capabilities = capabilities.split(separator: " ").compactMap { Capability(rawValue: String($0)) }
    }
}
