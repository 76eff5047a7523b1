public import EventModel
public import JSON

/// One method of the protocol. `run` decides at once and does no I/O: what has to happen is an action.
public struct RPCMethod: Sendable {
    public let name: String
    let run: @Sendable (inout RPCCall) throws(RPCError) -> RPCResult

    public init(_ name: String, run: @escaping @Sendable (inout RPCCall) throws(RPCError) -> RPCResult) {
        self.name = name
        self.run = run
    }
}

/// A request or notification on its way through a method.
public struct RPCCall {
    public let params: RPCParams
    public let context: RPCContext
    /// Names the socket to its own client and to others.
    public let clientID: String
    public internal(set) var actions: [RPCAction] = []
    var phase: RPCSession.Phase

    public mutating func act(_ action: RPCAction) { actions.append(action) }
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

/// The methods by name.
public struct RPCMethodTable: Sendable {
    private let methods: [String: RPCMethod]

    /// Of two methods with one name the later counts.
    public init(_ groups: [[RPCMethod]]) {
        methods = Dictionary(groups.joined().map { ($0.name, $0) }) { _, later in later }
    }

    public static let standard = RPCMethodTable([
        LifecycleMethods.all, EventMethods.all, StatusMethods.all,
    ])

    subscript(name: String) -> RPCMethod? { methods[name] }

    public var names: [String] { methods.keys.sorted() }
}
