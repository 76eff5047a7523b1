import EventModel
import Signing

/// What a mock of Apple's servers does; everything not said is as Apple documents it.
struct MockScript: Sendable {
    /// `nil`: the first SETTINGS names no limit.
    var initialStreamLimit: UInt32? = 1
    /// Told in another SETTINGS with the first push that is answered with anything but 403.
    var provenStreamLimit: UInt32? = 100
    /// Wire form; empty: the server takes no part in ALPN.
    var alpn: [UInt8] = [2, 0x68, 0x32]
    var answersPings = true
    var maxTLSVersion: Int32?
    var initialWindow: UInt32?
    /// By number from 0. True: closed at once, before TLS.
    var dropsConnection: @Sendable (Int) -> Bool = { _ in false }
    /// Checks provider tokens as Apple does, in front of `reply`.
    var authority: MockAuthority?
    var reply: @Sendable (MockRequest) -> [MockStep] = { _ in [.ok] }
}

struct MockAuthority: Sendable {
    var keyID: String
    var teamID: String
    var key: ES256PublicKey
    var clock: @Sendable () -> Timestamp
}

/// Done in order, the first of them at once.
enum MockStep: Sendable {
    /// `split`: the body comes in two DATA frames. An empty body ends the stream with the headers.
    case answer(Int, body: String = "", fields: [String: String] = [:], split: Bool = false)
    /// An interim answer (103).
    case interim
    /// Headers of an answer whose body never comes.
    case unfinished(Int)
    /// Neither answered nor forgotten: `MockAPNs.releaseHeld` answers 200.
    case hold
    case reset(UInt32)
    case streamLimit(UInt32)
    /// `takesThis`: the present stream is still within the last one named.
    case goAway(takesThis: Bool, debug: String = "")
    /// The warning that another GOAWAY will follow (RFC 9113 section 6.8).
    case goAwayNotice
    /// Ends TCP; `abrupt`: by a reset.
    case disconnect(abrupt: Bool = false)
    /// Reads nothing more.
    case stall
    /// Bytes in the connection that no HTTP/2 library writes.
    case raw([UInt8])

    static let ok = MockStep.answer(200)

    static func error(_ status: Int, _ reason: String) -> MockStep {
        .answer(status, body: "{\"reason\":\"\(reason)\"}")
    }
}

struct MockRequest: Sendable {
    let connection: Int
    let stream: Int32
    var fields: [(name: String, value: String, isIndexed: Bool)] = []
    var body: [UInt8] = []
    /// How many requests with this `id` were complete before.
    var earlier = 0

    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
    /// What tells pushes apart: Web Push has no id, so tests give each a topic.
    var id: String { self["apns-id"] ?? self["topic"] ?? "" }
}

/// What a mock has seen.
struct MockRecord: Sendable {
    var connections = 0
    var handshakes = 0
    var requests: [MockRequest] = []
    /// Requests whose steps were all done.
    var handled = 0
    /// Per `id`: requests that were not turned away unprocessed.
    var processed: [String: Int] = [:]
    /// Per `id`: requests that may have been processed although the client cannot know.
    var ambiguous: [String: Int] = [:]
    /// Per `id`: answers that ask for another try elsewhere.
    var shutdowns: [String: Int] = [:]
    var maxOpenStreams = 0
    /// Streams begun above a limit that the client had acknowledged.
    var limitViolations = 0
    var priorityFrames = 0
    var pings = 0
    var clientGoAways = 0
    /// Per connection: the provider tokens, in order of appearance.
    var tokens: [Int: [String]] = [:]
    var tokenRefusals: [String] = []
    var serverNames: [String] = []
    var held = 0
    var closedConnections = 0
    /// Numbers of the connections that this end closed.
    var broken: Set<Int> = []
}
