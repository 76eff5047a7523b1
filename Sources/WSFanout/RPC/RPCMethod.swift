public import EventModel
public import JSON

/// One method of the protocol.
public struct RPCMethod: Sendable {
    public let name: String
    let body: Body

    enum Body: Sendable {
        case immediate(@Sendable (inout RPCCall) throws(RPCError) -> RPCResult)
        case deferred(@Sendable (RPCParams) throws(RPCError) -> Void)
    }

    private init(name: String, body: Body) {
        self.name = name
        self.body = body
    }

    /// Answers at once and does no I/O: what has to happen is an action.
    public static func immediate(
        _ name: String,
        run: @escaping @Sendable (inout RPCCall) throws(RPCError) -> RPCResult
    ) -> RPCMethod {
        RPCMethod(name: name, body: .immediate(run))
    }

    /// Needs the store or another machine: becomes a task that is finished later. `check` refuses wrong parameters
    /// before anything is asked.
    public static func deferred(
        _ name: String,
        check: @escaping @Sendable (RPCParams) throws(RPCError) -> Void = { _ in }
    ) -> RPCMethod {
        RPCMethod(name: name, body: .deferred(check))
    }
}

/// A request or notification on its way through an immediate method.
public struct RPCCall {
    public let params: RPCParams
    public let context: RPCContext
    /// Names the socket to its own client and to others.
    public let clientID: String
    var actions: [RPCAction] = []
    var phase: RPCSession.Phase

    public mutating func act(_ action: RPCAction) { actions.append(action) }
}

/// A call that somebody else has to carry out, to be answered by `RPCSession.finish` with its token, in any order.
public struct RPCTask: Sendable {
    public let token: Int64
    public let method: String
    public let params: RPCParams
}

/// What the server knows at the time of a call.
public struct RPCContext: Sendable {
    public var window: StreamWindow
    public var serverVersion: String
    /// Whether events can be committed now.
    public var isHealthy: Bool

    public init(window: StreamWindow, serverVersion: String, isHealthy: Bool) {
        self.window = window
        self.serverVersion = serverVersion
        self.isHealthy = isHealthy
    }
}

/// What the socket's owner has to do, in order, after it has sent the reply.
public enum RPCAction: Sendable, Equatable {
    case subscribe(EventFilter, after: StreamPosition)
    case unsubscribe
    case close(CloseCode)
}

/// An object: clients take an absent or null result for a failure.
public struct RPCResult: Sendable {
    let json: [UInt8]

    public init(_ fields: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        writer.beginObject()
        fields(&writer)
        writer.endObject()
        json = writer.bytes
    }

    public static let empty = RPCResult { _ in }
}
