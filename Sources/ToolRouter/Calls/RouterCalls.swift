internal import API
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Persistence
internal import Signing
internal import Tools

/// Runs tools through the registry's calls, with the same approvals, policy, limits and audit.
struct RouterCalls: Sendable {
    /// Seconds for which a program that says `accept` waits for a person. Clients give up after 60.
    static let patience = 45.0
    /// Seconds until a call has ended in any case. A person has an hour to answer.
    private static let longest = 4500.0

    let router: ToolRouter

    /// The session or the user for which a call is made.
    struct Scope: Sendable {
        /// `nil` for a call without a session.
        var session: RouterSession?
        var userID: String

        var config: SessionConfig? { session?.config }

        init(_ session: RouterSession) { (self.session, userID) = (session, session.userID) }
        init(userID: String) { (session, self.userID) = (nil, userID) }
    }

    /// The tool that the program may run in the session. Throws 404 for any other.
    func tool(_ slug: String, in scope: Scope, _ caller: RouterCaller) async throws(APIError) -> ToolkitTool {
        var filter = scope.config?.filter ?? ToolkitFilter()
        filter.slugs = [slug]
        let found = try await router.toolkits.tools(filter, limit: 1, for: caller.principal).tools
        guard let tool = found.first else { throw RouterFault.unknownTool(slug) }
        return tool
    }

    /// Makes a call, or continues one.
    ///
    /// - Parameter patience: the seconds to wait for a person's answer to a new call.
    func run(
        _ request: ExecuteRequest,
        in scope: Scope,
        _ caller: RouterCaller,
        patience: Double = 0
    ) async throws(APIError) -> CallReply {
        let tool = try await self.tool(request.slug, in: scope, caller)
        if let state = request.state, let response = request.response {
            return try await resume(state, response, self.state(of: request, tool, scope, caller), tool, caller)
        }
        let id: String
        do throws(APIError) {
            id = try await begin(request, tool, scope, caller)
        } catch {
            // The caller can do something about these.
            guard error.status == 409 || error.status == 403 else { throw error }
            return CallReply(call: caller.caller.requestID, error)
        }
        var first = state(of: request, tool, scope, caller)
        (first.call, first.turn) = (id, 1)
        return try await reply(first, tool, caller, patience: patience)
    }

    /// Begins a call for which a client of the Model Context Protocol waits. Returns its id.
    func begin(
        _ slug: String,
        _ arguments: JSONValue,
        in scope: Scope,
        _ caller: RouterCaller
    ) async throws(APIError) -> String {
        let request = ExecuteRequest(slug: slug, arguments)
        return try await begin(request, try await tool(request.slug, in: scope, caller), scope, caller)
    }

    private func begin(
        _ request: ExecuteRequest,
        _ tool: ToolkitTool,
        _ scope: Scope,
        _ caller: RouterCaller
    ) async throws(APIError) -> String {
        var terms = ToolkitService.Terms()
        terms.project = request.project
        terms.mustAsk = scope.config?.approvals.cover(tool) ?? false
        terms.account = try await account(request.account, tool, scope, caller)
        return try await router.toolkits.begin(tool, request.arguments, terms, caller.caller)
    }

    /// The login that the call uses. Throws 4302 if the user has none and the toolkit needs one.
    private func account(
        _ wish: String?,
        _ tool: ToolkitTool,
        _ scope: Scope,
        _ caller: RouterCaller
    ) async throws(APIError) -> String? {
        let toolkit = RouterToolkit(
            slug: tool.toolkit,
            serverID: tool.serverID,
            name: tool.server,
            isRemote: tool.isRemote
        )
        let pinned = scope.config?.accounts[tool.toolkit]?.first
        return try await router.connections.account(
            of: caller.owner(scope.userID),
            for: toolkit,
            wish: wish ?? pinned
        )
    }

    /// The state with which a request would wait. The call and the turn are not known yet.
    private func state(
        of request: ExecuteRequest,
        _ tool: ToolkitTool,
        _ scope: Scope,
        _ caller: RouterCaller
    ) -> RequestState {
        RequestState(
            call: "",
            turn: 0,
            caller: caller.principal.auditName,
            session: scope.session?.id ?? "user " + scope.userID,
            server: tool.serverID,
            tool: tool.name,
            definition: tool.digest,
            arguments: Digest.hex(ofSorted: request.arguments),
            expiresAt: router.clock().adding(seconds: RouterCalls.longest)
        )
    }

    /// Continues a call. The program's `accept` approves nothing: the program only keeps waiting.
    ///
    /// - Parameter asked: the state to which the given one must belong.
    private func resume(
        _ text: String,
        _ response: ExecuteRequest.Response,
        _ asked: RequestState,
        _ tool: ToolkitTool,
        _ caller: RouterCaller
    ) async throws(APIError) -> CallReply {
        let now = router.clock()
        guard let known = router.unseal(text).flatMap(RequestState.init), known.isSameCall(as: asked),
            known.expiresAt > now
        else { throw RouterCalls.foreignState }
        let turn = try await router.database.use { store throws(PersistenceError) in
            try await store.turnRouterWait(known.call, known.turn, at: now)
        }
        guard let turn else { throw RouterCalls.usedState }
        var next = known
        next.turn = turn
        guard response == .cancel else {
            return try await reply(next, tool, caller, patience: RouterCalls.patience)
        }
        if try await router.toolkits.cancel(known.call) {
            return CallReply(
                logID: "log_" + known.call,
                .blocked("The program no longer wants the call. The tool did not run.", reason: "declined")
            )
        }
        // It is too late to end the call, so the answer is the tool's.
        return try await reply(next, tool, caller, patience: RouterCalls.patience)
    }

    private func reply(
        _ state: RequestState,
        _ tool: ToolkitTool,
        _ caller: RouterCaller,
        patience: Double
    ) async throws(APIError) -> CallReply {
        switch try await router.toolkits.progress(of: state.call, patience: patience, for: caller.caller) {
        case .ended(let result): return CallReply(call: state.call, result: result)
        case .failed(let error): return CallReply(call: state.call, error)
        case .asking: break
        }
        if state.turn == 1 {
            let session = state.session.hasPrefix("user ") ? nil : state.session
            try await router.database.use { store throws(PersistenceError) in
                try await store.beginRouterWait(state.call, session: session, until: state.expiresAt)
            }
        }
        guard let sealed = router.seal(state.bytes) else { throw RouterCalls.unsealable }
        let message =
            "A person is asked whether \(tool.slug) may run. Send the same request again with request_state and "
            + "input_responses, to wait for the answer (accept) or to give up (decline). Neither approves the call."
        return CallReply(logID: "log_" + state.call, .asking(message: message, state: sealed))
    }

    private static let foreignState = RouterFault.badRequest(
        "'request_state' is not one of this call: of this key, session, tool and arguments, and not too old.",
        param: "request_state"
    )

    private static let usedState = RouterFault.badRequest(
        "'request_state' was used before. Each is used once: use the one of the last answer.",
        param: "request_state"
    )

    private static let unsealable = APIError(
        .internalError,
        status: 500,
        code: "internal_error",
        message: "The state of the call could not be sealed."
    )
}
