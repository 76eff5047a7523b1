/// Why the server closes a WebSocket (RFC 6455 section 7.4; 4000 to 4999 are private).
///
/// Below 4500 the client reconnects, with growing and jittered pauses, and resumes from its cursor. From 4500 on it
/// does not reconnect until the cause is fixed.
public struct CloseCode: Sendable, Hashable {
    public let number: UInt16
    /// At most 123 bytes, RFC 6455 section 5.5.
    public let reason: String
    public let duty: ClientDuty

    public enum ClientDuty: String, Sendable {
        case nothing
        case resume
        case authenticateAndResume = "authenticate and resume"
        case slowDownAndResume = "slow down and resume"
        case stop
    }

    /// The client requested it.
    public static let normal = CloseCode(number: 1000, reason: "closed on request", duty: .nothing)
    public static let goingAway = CloseCode(number: 1001, reason: "server is shutting down", duty: .resume)
    public static let unauthorized = CloseCode(number: 4001, reason: "unauthorized", duty: .authenticateAndResume)
    /// Also 4001: a socket that never sends `initialize`.
    public static let notInitialized = CloseCode(number: 4001, reason: "initialize first", duty: .authenticateAndResume)
    public static let tokenExpired = CloseCode(number: 4002, reason: "token expired", duty: .authenticateAndResume)
    /// No event is lost: unread events are replayed after the cursor.
    public static let tooSlow = CloseCode(number: 4008, reason: "too slow, resume from your cursor", duty: .resume)
    /// Also 4008: the next event was dropped by retention or a restore. Resuming answers `recovered:false`.
    public static let placeGone = CloseCode(number: 4008, reason: "place in the log is gone, resume", duty: .resume)
    public static let tooManyRequests = CloseCode(
        number: 4029,
        reason: "too many requests",
        duty: .slowDownAndResume
    )
    public static let protocolNotSupported = CloseCode(number: 4500, reason: "protocol not supported", duty: .stop)

    public static let all: [CloseCode] = [
        normal, goingAway, unauthorized, notInitialized, tokenExpired, tooSlow, placeGone, tooManyRequests,
        protocolNotSupported,
    ]
}
