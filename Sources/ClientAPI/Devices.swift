public import EventModel
public import HTTPModel

/// The kind of client that keeps a refresh token.
public enum TokenHolder: Sendable {
    /// A program, which can ask again at once if the answer is lost.
    case program
    /// A browser's cookie. The page may be closed, or the machine asleep, when the answer arrives.
    case browser
}

/// Pairing, tokens and devices. The composition root implements it, limits attempts and writes the audit log.
public protocol DeviceAdministration: Sendable {
    /// Only this answer contains the code and the token.
    /// - Parameter wish: the grants of the device that uses the pairing.
    func createPairing(_ wish: PairingWish, _ caller: Caller) async throws(APIError) -> NewPairing
    func pairing(id: Int64) async throws(APIError) -> PairingRecord?
    /// Exchanges a short code for a token and uses up the code.
    func turnInCode(_ code: String, _ caller: Caller) async throws(APIError) -> PairingToken
    /// Creates the device and uses up `secret`, a code or a token. If a person must approve, records the request
    /// instead.
    func pair(secret: String, as device: NewDevice, _ caller: Caller) async throws(APIError) -> PairingOutcome
    /// Voids every unused invitation and creates a new one.
    func renewPairing(_ caller: Caller) async throws(APIError) -> NewPairing
    func pairingRequests() async throws(APIError) -> [PairingRequest]
    /// Returns false if no request with this id is waiting.
    func decidePairing(id: Int64, isApproved: Bool, _ caller: Caller) async throws(APIError) -> Bool
    func refresh(_ refreshToken: String, of holder: TokenHolder, _ caller: Caller) async throws(APIError)
        -> IssuedTokens
    /// Does not reveal whether the token was valid (RFC 7009 section 2.2).
    func signOut(_ refreshToken: String, _ caller: Caller) async throws(APIError)
    func devices() async throws(APIError) -> [DeviceRecord]
    /// The people who signed in with Apple.
    func identities() async throws(APIError) -> [AppleIdentityRecord]
    /// Removes a person and revokes the person's devices. Returns the number of devices, or `nil` if the person does
    /// not exist.
    func removeIdentity(id: Int64, _ caller: Caller) async throws(APIError) -> Int?
    /// Returns `nil` if the device does not exist or is already revoked.
    /// - Parameter machines: names or numbers; `nil` means all machines.
    func grant(
        _ capability: Capability,
        on machines: [String]?,
        to device: DeviceID,
        _ caller: Caller
    ) async throws(APIError) -> DeviceRecord?
    /// Returns `nil` if the device does not exist or is already revoked. Does nothing if the device does not have the
    /// grant.
    func withdraw(
        _ capability: Capability,
        from device: DeviceID,
        _ caller: Caller
    ) async throws(APIError) -> DeviceRecord?
    /// Returns false if the device does not exist or is already revoked.
    func revoke(_ device: DeviceID, _ caller: Caller) async throws(APIError) -> Bool
}

/// The origin of a request, for limits and the audit log.
public struct Caller: Sendable {
    public var peer: String
    public var requestID: String
    /// `nil` if the sender is not authenticated.
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

/// The grants that the creator of a pairing requests for its device.
public struct PairingWish: Sendable, Equatable {
    public var capabilities: [Capability] = [.read, .respond]
    /// Names or numbers, for capabilities that are granted per machine; `nil` means all machines.
    public var machines: [String]?

    public init() {}
}

public struct NewPairing: Sendable {
    public var id: Int64
    /// The code that a person types.
    public var code: String
    public var token: String
    /// The token in the form of cdev's apps, for a QR code.
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
    /// The device must present the same secret again until this time.
    case pending(id: Int64, expiresAt: Timestamp)
}

public struct PairingToken: Sendable {
    public var text: String
    public var expiresAt: Timestamp
    /// Seconds from now, rounded down.
    public var remainingSeconds: Int

    public init(text: String, expiresAt: Timestamp, remainingSeconds: Int) {
        self.text = text
        self.expiresAt = expiresAt
        self.remainingSeconds = remainingSeconds
    }
}

/// Sign in with Apple.
public protocol AppleSignInService: Sendable {
    /// Starts an attempt with a nonce, which is valid for one attempt.
    func beginSignIn(_ caller: Caller) async throws(APIError) -> PairingToken
    /// Creates the device if the person is admitted. If an invitation needs approval, the device may have to wait.
    func signIn(
        _ attempt: AppleAttempt,
        as device: NewDevice,
        _ caller: Caller
    ) async throws(APIError) -> PairingOutcome
}

public struct AppleAttempt: Sendable {
    /// The identity token issued by Apple.
    public var identityToken: String
    public var nonce: String
    /// Code or token of an invitation, for a person's first sign-in.
    public var invitation: String?
}

/// The properties that a device reports about itself.
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
