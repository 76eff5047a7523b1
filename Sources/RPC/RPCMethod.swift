package import EventModel
package import JSON

/// One method of an interface. A module that knows no host makes its methods in a function that is generic over `Host`.
package struct RPCMethod<Host: RPCHost>: Sendable {
    package typealias Check = @Sendable (RPCParams) throws(RPCError) -> Void
    package typealias Query = @Sendable (RPCQuery<Host>) async throws(RPCError) -> RPCAnswer<Host>

    enum Body: Sendable {
        case immediate(@Sendable (inout RPCCall<Host>) throws(RPCError) -> RPCResult)
        case deferred(Check, Query)
    }

    package let name: String
    package let description: RPCDescription
    let body: Body
    /// Whether the method waits for a person. If so, the task of a call is cancelled when the conversation ends.
    private(set) var endsWithConversation = false

    private init(_ name: String, _ description: RPCDescription, _ body: Body) {
        (self.name, self.description, self.body) = (name, description, body)
    }

    package var isDeferred: Bool {
        if case .deferred = body { true } else { false }
    }

    /// Like the other `immediate`, with a result of the given shape.
    package static func immediate<Value>(
        _ name: String,
        _ summary: String,
        _ parameters: [RPCParameter] = [],
        as shape: ObjectShape<Value>,
        run: @escaping @Sendable (inout RPCCall<Host>) throws(RPCError) -> Value
    ) -> RPCMethod {
        immediate(name, RPCDescription(summary, parameters, as: shape)) { call throws(RPCError) in
            RPCResult(shape, try run(&call))
        }
    }

    /// Like the other `query`, with a result of the given shape.
    package static func query<Value>(
        _ name: String,
        _ summary: String,
        _ parameters: [RPCParameter] = [],
        as shape: ObjectShape<Value>,
        needs: Capability = .read,
        orNeeds: Capability? = nil,
        errors: [RPCErrorKind] = [],
        endsWithConversation: Bool = false,
        check: @escaping Check = { _ in },
        run: @escaping @Sendable (RPCQuery<Host>) async throws(RPCError) -> Value
    ) -> RPCMethod {
        var description = RPCDescription(summary, parameters, as: shape, needs: needs, errors: errors)
        description.orNeeds = orNeeds
        var method = query(name, description, check: check) { call async throws(RPCError) in
            RPCAnswer(RPCResult(shape, try await run(call)))
        }
        method.endsWithConversation = endsWithConversation
        return method
    }

    /// A method that answers at once and does no I/O. It changes the conversation's state and returns its other effects
    /// as actions.
    package static func immediate(
        _ name: String,
        _ description: RPCDescription,
        run: @escaping @Sendable (inout RPCCall<Host>) throws(RPCError) -> RPCResult
    ) -> RPCMethod {
        RPCMethod(name, description, .immediate(run))
    }

    /// A method that waits for something. A call becomes a task that finishes later. Before that, `check` refuses what
    /// the description of the parameters accepts and the method does not.
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
package struct RPCCall<Host: RPCHost> {
    package let params: RPCParams
    package let context: Host.Context
    /// Whether this call opens the conversation.
    package let isOpening: Bool
    package var state: Host.State
    private(set) var actions: [Host.Action] = []
    private(set) var isLast = false

    package mutating func act(_ action: Host.Action) { actions.append(action) }

    /// Ends the conversation after the answer.
    package mutating func end() { isLast = true }
}
