internal import API
internal import EventModel
internal import HTTPModel
internal import Listener

/// A path with WebSockets: who may open them, and the conversation on them.
struct SocketRoute: Sendable {
    let path: String
    let capability: Capability
    let description: RouteDescription
    /// Throws if the request lacks what the conversation needs.
    let check: @Sendable (HTTPRequest) throws(APIError) -> Void
    let converse: @Sendable (OpenSocket) -> any Conversation

    static let all = [cdev, session, agent]

    init(
        _ path: String,
        needs capability: Capability = .read,
        _ describe: (RouteDescription) -> RouteDescription,
        check: @escaping @Sendable (HTTPRequest) throws(APIError) -> Void = { _ in },
        converse: @escaping @Sendable (OpenSocket) -> any Conversation
    ) {
        (self.path, self.capability, self.check, self.converse) = (path, capability, check, converse)
        description = describe(RouteDescription(.get, path, .needs(capability)))
    }

    static func at(_ path: String) -> SocketRoute? { all.first { $0.path == path } }
}

/// A WebSocket at its opening.
struct OpenSocket {
    let handler: LoopHandler
    let channel: ChannelID
    let principal: Principal
    let request: HTTPRequest
}

/// The use of a WebSocket or of an event stream, from its opening to its end. Loop thread only.
protocol Conversation: AnyObject {
    /// What the sender must be allowed to do, at the opening and at each check.
    var capability: Capability { get }
    var isEventStream: Bool { get }

    /// The channel is known to the handler, and nothing has been sent.
    func begin(on loop: isolated NetworkLoop)
    func received(_ message: [UInt8], isText: Bool, on loop: isolated NetworkLoop)
    /// About once a second.
    func tick(on loop: isolated NetworkLoop)
    /// The channel is closed.
    func ended()
}

extension Conversation {
    var capability: Capability { .read }
    var isEventStream: Bool { false }

    func received(_ message: [UInt8], isText: Bool, on loop: isolated NetworkLoop) {}
    func tick(on loop: isolated NetworkLoop) {}
    func ended() {}
}
