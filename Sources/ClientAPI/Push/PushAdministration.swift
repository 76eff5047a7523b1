public import EventModel
public import HTTPModel

/// Push tokens, preferences and decisions. The composition root stands behind it.
public protocol PushAdministration: Sendable {
    var condition: PushOffer { get }
    /// Who asks. `named`: the device that the operator names.
    func caller(of request: HTTPRequest, named: String?) throws(APIError) -> PushCaller
    func register(_ token: NewPushToken, of device: DeviceID) async throws(APIError) -> PushTokenRecord
    /// `nil`: of all devices.
    func tokens(of device: DeviceID?) async throws(APIError) -> [PushTokenRecord]
    /// One of the device's, or all. Returns how many there were.
    func removeTokens(of device: DeviceID, id: Int64?) async throws(APIError) -> Int64
    /// What is stored there, and what holds with the layers below.
    func preferences(_ scope: PushScope) async throws(APIError) -> PushPreferencesAnswer
    /// `settings` is JSON as it came; it replaces what is stored there.
    func setPreferences(
        _ layer: ChangeablePushScope,
        _ settings: [UInt8]
    ) async throws(APIError) -> PushPreferencesAnswer
    func removePreferences(_ layer: ChangeablePushScope) async throws(APIError) -> Bool
    /// The names of the pushes that were put into the outbox; none where the device has no token.
    func sendTest(to device: DeviceID) async throws(APIError) -> [EventID]
    /// A push to a device that does not exist: what the service says of it tells whether the key is good.
    func checkKey(_ environment: NewPushToken.Environment) async throws(APIError) -> PushKeyCheck
    func decisions(_ query: PushDecisionQuery) async throws(APIError) -> PushDecisionAnswer
}

/// What the server has for clients that want pushes.
public struct PushOffer: Sendable, Equatable {
    /// Whether it can push to apps.
    public var apns: Bool
    /// The bundle id it pushes to.
    public var topic: String?
    /// The key that browsers subscribe with, base64url; `nil`: it cannot push to browsers.
    public var applicationServerKey: String?

    public init(apns: Bool, topic: String?, applicationServerKey: String?) {
        self.apns = apns
        self.topic = topic
        self.applicationServerKey = applicationServerKey
    }

    var isOn: Bool { apns || applicationServerKey != nil }
}

public struct PushKeyCheck: Sendable, Equatable {
    public enum Verdict: String, Sendable {
        case good
        case refused
        /// The service answered, and its answer says nothing of the key.
        case undecided
        case unreachable
    }

    public var verdict: Verdict
    public var status: Int?
    /// As the service said it.
    public var reason: String?
    /// For people.
    public var message: String

    public init(verdict: Verdict, status: Int?, reason: String?, message: String) {
        self.verdict = verdict
        self.status = status
        self.reason = reason
        self.message = message
    }
}

public struct PushPreferencesAnswer: Sendable {
    /// JSON objects.
    public var stored: [UInt8]
    public var effective: [UInt8]
    public var updatedAt: Timestamp?

    public init(stored: [UInt8], effective: [UInt8], updatedAt: Timestamp?) {
        self.stored = stored
        self.effective = effective
        self.updatedAt = updatedAt
    }
}

public enum PushDecisionQuery: Sendable, Equatable {
    case event(EventID)
    case push(EventID)
    case latest(Int)
}

public struct PushDecisionAnswer: Sendable {
    public var notices: [PushHistory]
    /// For people: why there are none, or how far the judgement is.
    public var remark: String?

    public init(notices: [PushHistory], remark: String?) {
        self.notices = notices
        self.remark = remark
    }
}

/// The routes of pushes.
public enum PushAPI {
    public static func routes(desk: PushDesk) -> [Route] {
        PushTokenRoutes(push: desk.push, desk: desk).routes + PushPreferenceRoutes(push: desk.push, desk: desk).routes
            + PushDecisionRoutes(push: desk.push).routes
    }
}
