/// A call that the host has to carry out. `RPCSession.finish` answers it by its token, in any order.
package struct RPCTask<Host: RPCHost>: Sendable {
    package let token: Int64
    package let method: String
    package let params: RPCParams
    let state: Host.State
    let context: Host.Context
    /// Whether the task is cancelled when the conversation ends. Other tasks are carried out anyway.
    package let endsWithConversation: Bool
    let query: RPCMethod<Host>.Query

    /// May run on any thread.
    package func run(with services: Host.Services) async -> Result<RPCAnswer<Host>, RPCError> {
        do throws(RPCError) {
            let call = RPCQuery<Host>(params: params, state: state, context: context, services: services)
            return .success(try await query(call))
        } catch {
            return .failure(error)
        }
    }
}

/// A request to a deferred method.
package struct RPCQuery<Host: RPCHost>: Sendable {
    package let params: RPCParams
    /// The state and the context at the time of the call.
    package let state: Host.State
    package let context: Host.Context
    package let services: Host.Services
}

/// The outcome of a deferred method.
package struct RPCAnswer<Host: RPCHost>: Sendable {
    let result: Result<RPCResult, RPCError>
    /// What the host does after the answer.
    let actions: [Host.Action]

    package init(_ result: RPCResult, actions: [Host.Action] = []) {
        (self.result, self.actions) = (.success(result), actions)
    }

    /// The method has failed, and the host still has something to do.
    package init(_ error: RPCError, actions: [Host.Action]) {
        (self.result, self.actions) = (.failure(error), actions)
    }
}
