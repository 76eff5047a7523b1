public import EventModel
public import HTTPModel

/// Pairing, tokens and devices. The composition root stands behind it, limits attempts and writes the audit log.
public protocol DeviceAdministration: Sendable {
    /// The code and the token are in this answer and nowhere else.
    /// - Parameter wish: what the device that comes in by it may do.
    func createPairing(_ wish: PairingWish, _ caller: Caller) async throws(APIError) -> NewPairing
    func pairing(id: Int64) async throws(APIError) -> PairingRecord?
    /// A token for a short code; the code is used up.
    func turnInCode(_ code: String, _ caller: Caller) async throws(APIError) -> PairingToken
    /// Makes the device and uses up `secret`, a code or a token; or, where a person has to approve, notes the request.
    func pair(secret: String, as device: NewDevice, _ caller: Caller) async throws(APIError) -> PairingOutcome
    /// Voids every invitation that nobody has used, and makes another.
    func renewPairing(_ caller: Caller) async throws(APIError) -> NewPairing
    func pairingRequests() async throws(APIError) -> [PairingRequest]
    /// False if nothing waits under this id.
    func decidePairing(id: Int64, isApproved: Bool, _ caller: Caller) async throws(APIError) -> Bool
    func refresh(_ refreshToken: String, _ caller: Caller) async throws(APIError) -> IssuedTokens
    /// Says nothing of whether the token was any good (RFC 7009 section 2.2).
    func signOut(_ refreshToken: String, _ caller: Caller) async throws(APIError)
    func devices() async throws(APIError) -> [DeviceRecord]
    /// The people who signed in with Apple.
    func identities() async throws(APIError) -> [AppleIdentityRecord]
    /// Removes a person and revokes the person's devices; `nil` if there is no such person, else how many devices.
    func removeIdentity(id: Int64, _ caller: Caller) async throws(APIError) -> Int?
    /// `nil` if there is no such device that is not revoked already.
    /// - Parameter machines: names or numbers; `nil`: all machines.
    func grant(
        _ capability: Capability,
        on machines: [String]?,
        to device: DeviceID,
        _ caller: Caller
    ) async throws(APIError) -> DeviceRecord?
    /// `nil` if there is no such device that is not revoked already. Nothing happens where the device has it not.
    func withdraw(
        _ capability: Capability,
        from device: DeviceID,
        _ caller: Caller
    ) async throws(APIError) -> DeviceRecord?
    /// False if there is no such device that is not revoked already.
    func revoke(_ device: DeviceID, _ caller: Caller) async throws(APIError) -> Bool
}

/// Where a request came from, for limits and the audit log.
public struct Caller: Sendable {
    public var peer: String
    public var requestID: String
    /// `nil`: nobody that is known.
    public var principal: Principal?

    public init(_ request: HTTPRequest, _ principal: Principal?) {
        self.init(peer: request.peerAddress, requestID: request.requestID, principal: principal)
    }

    public init(peer: String, requestID: String, principal: Principal?) {
        self.peer = peer
        self.requestID = requestID
        self.principal = principal
    }
}

/// What a pairing is to give the device that comes in by it, as the one who makes the pairing says.
public struct PairingWish: Sendable, Equatable {
    public var capabilities: [Capability] = [.read, .respond]
    /// Names or numbers, of the capabilities that are granted for machines; `nil`: all machines.
    public var machines: [String]?

    public init() {}
}

public struct NewPairing: Sendable {
    public var id: Int64
    /// For a person to type.
    public var code: String
    public var token: String
    /// The token as cdev's apps exchange it, for a QR code.
    public var cdevToken: String
    public var expiresAt: Timestamp
    public var lifetimeSeconds: Int

    public init(
        id: Int64,
        code: String,
        token: String,
        cdevToken: String,
        expiresAt: Timestamp,
        lifetimeSeconds: Int
    ) {
        self.id = id
        self.code = code
        self.token = token
        self.cdevToken = cdevToken
        self.expiresAt = expiresAt
        self.lifetimeSeconds = lifetimeSeconds
    }
}

public enum PairingOutcome: Sendable {
    case tokens(IssuedTokens)
    /// The same secret is to be shown again until then.
    case pending(id: Int64, expiresAt: Timestamp)
}

public struct PairingToken: Sendable {
    public var text: String
    public var expiresAt: Timestamp
    /// From now, rounded down.
    public var remainingSeconds: Int

    public init(text: String, expiresAt: Timestamp, remainingSeconds: Int) {
        self.text = text
        self.expiresAt = expiresAt
        self.remainingSeconds = remainingSeconds
    }
}

/// Sign in with Apple.
public protocol AppleSignInService: Sendable {
    /// An attempt begins with a nonce, which is good for one.
    func beginSignIn(_ caller: Caller) async throws(APIError) -> PairingToken
    /// Makes the device, if the person may come in; where an invitation needs approval, it may have to wait.
    func signIn(
        _ attempt: AppleAttempt,
        as device: NewDevice,
        _ caller: Caller
    ) async throws(APIError) -> PairingOutcome
}

public struct AppleAttempt: Sendable {
    /// Apple's.
    public var identityToken: String
    public var nonce: String
    /// Code or token of an invitation, for a person who comes for the first time.
    public var invitation: String?
}

/// What a device says of itself.
public struct NewDevice: Sendable, Equatable {
    public var name: String
    public var platform: String?
}

public struct IssuedTokens: Sendable {
    public var device: DeviceID
    public var accessToken: String
    public var accessTokenExpiresAt: Timestamp
    public var accessTokenSeconds: Int
    public var refreshToken: String
    public var refreshTokenExpiresAt: Timestamp

    public init(
        device: DeviceID,
        accessToken: String,
        accessTokenExpiresAt: Timestamp,
        accessTokenSeconds: Int,
        refreshToken: String,
        refreshTokenExpiresAt: Timestamp
    ) {
        self.device = device
        self.accessToken = accessToken
        self.accessTokenExpiresAt = accessTokenExpiresAt
        self.accessTokenSeconds = accessTokenSeconds
        self.refreshToken = refreshToken
        self.refreshTokenExpiresAt = refreshTokenExpiresAt
    }
}
