import EventModel
import JSON
public import RPC
public import WSFanout

/// One method of the protocol.
public struct RPCMethod: Sendable {
    public let name: String
    public let description: RPCDescription
    let body: Body
    /// Whether the method waits for a person. If so, the task of a call is cancelled when the client's socket closes.
    private(set) var endsWithSocket = false

    enum Body: Sendable {
        case immediate(@Sendable (inout RPCCall) throws(RPCError) -> RPCResult)
        case deferred(Check, Query)
    }

    public typealias Check = @Sendable (RPCParams) throws(RPCError) -> Void
    package typealias Query = @Sendable (RPCQuery) async throws(RPCError) -> RPCAnswer

    private init(_ name: String, _ description: RPCDescription, _ body: Body) {
        self.name = name
        self.description = description
        self.body = body
    }

    /// Like the other `immediate`, with a result of the given shape.
    static func immediate<Value>(
        _ name: String,
        _ summary: String,
        _ parameters: [RPCParameter] = [],
        as shape: ObjectShape<Value>,
        run: @escaping @Sendable (inout RPCCall) throws(RPCError) -> Value
    ) -> RPCMethod {
        immediate(name, RPCDescription(summary, parameters, as: shape)) { call throws(RPCError) in
            RPCResult(shape, try run(&call))
        }
    }

    /// Like the other `query`, with a result of the given shape.
    static func query<Value>(
        _ name: String,
        _ summary: String,
        _ parameters: [RPCParameter] = [],
        as shape: ObjectShape<Value>,
        needs: Capability = .read,
        errors: [RPCErrorKind] = [],
        endsWithSocket: Bool = false,
        check: @escaping Check = { _ in },
        run: @escaping @Sendable (RPCQuery) async throws(RPCError) -> Value
    ) -> RPCMethod {
        let description = RPCDescription(summary, parameters, as: shape, needs: needs, errors: errors)
        var method = query(name, description, check: check) { call async throws(RPCError) in
            RPCAnswer(RPCResult(shape, try await run(call)))
        }
        method.endsWithSocket = endsWithSocket
        return method
    }

    /// A method that answers at once and does no I/O. It returns its effects as actions.
    public static func immediate(
        _ name: String,
        _ description: RPCDescription,
        run: @escaping @Sendable (inout RPCCall) throws(RPCError) -> RPCResult
    ) -> RPCMethod {
        RPCMethod(name, description, .immediate(run))
    }

    /// A method that uses the store. A call becomes a task that finishes later. Before that, `check` refuses what the
    /// description of the parameters accepts and the method does not.
    package static func query(
        _ name: String,
        _ description: RPCDescription,
        check: @escaping Check = { _ in },
        run: @escaping Query
    ) -> RPCMethod {
        RPCMethod(name, description, .deferred(check, run))
    }
}

/// A request or notification on its way through an immediate method.
public struct RPCCall {
    public let params: RPCParams
    public let context: RPCContext
    /// Identifies the socket to its own client and to others.
    public let clientID: String
    var actions: [HubAction] = []
    var phase: RPCSession.Phase
    var stream: ClientStream
    var reminders: [RPCReminder] = []

    public mutating func act(_ action: HubAction) { actions.append(action) }
}
