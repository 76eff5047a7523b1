internal import API
internal import CdevDialect
internal import ClientAPI
internal import EventModel
internal import HTTPModel
internal import Interaction
internal import JSON
internal import Notifications
internal import Persistence
internal import RPC
internal import Sessions
internal import Transcripts
internal import Usage

/// The database for the methods of `/ws`.
struct RPCStoreAdapter: RPCStore {
    let context: ServerContext
    /// The socket's origin, for the audit log.
    let origin: Caller

    /// The limit for the contents of all prompts in one response.
    private static let maximumContentBytes = MessageLimit.payload

    private var database: Database { context.database }
    private var pushAPI: PushAPIService { context.pushAPI }
    private var interaction: InteractionService { context.interaction }

    func bounds() async throws(RPCError) -> LogBounds {
        try await ask { store throws(PersistenceError) in try await store.bounds() }
    }

    func events(_ query: EventQuery) async throws(RPCError) -> EventPage {
        try await ask { store throws(PersistenceError) in try await store.events(query) }
    }

    func eventCount(_ query: EventQuery) async throws(RPCError) -> Int64 {
        try await ask { store throws(PersistenceError) in try await store.eventCount(query) }
    }

    func conversation(_ query: ConversationQuery) async throws(RPCError) -> ConversationPage {
        try await ask { store throws(PersistenceError) in try await store.conversation(query) }
    }

    func sessions(_ query: SessionQuery) async throws(RPCError) -> SessionPage {
        try await ask { store throws(PersistenceError) in try await store.sessionsWithEvidence(query) }
    }

    func session(id: String) async throws(RPCError) -> Session? {
        try await ask { store throws(PersistenceError) in
            try await store.sessionWithEvidence(id: id, now: context.clock())
        }
    }

    func deleteSession(id: String) async throws(RPCError) -> Bool {
        try await ask { store throws(PersistenceError) in try await store.deleteSession(id: id) }
    }

    func machine(named name: String) async throws(RPCError) -> MachineID? {
        try await ask { store throws(PersistenceError) in try await store.machine(named: name) }
    }

    func machines() async throws(RPCError) -> [MachineRecord] {
        try await ask { store throws(PersistenceError) in try await store.machines() }
    }

    func workspaces() async throws(RPCError) -> WorkspacePage {
        try await ask { store throws(PersistenceError) in try await store.workspaces() }
    }

    func workspace(id: String) async throws(RPCError) -> WorkspaceRecord? {
        try await ask { store throws(PersistenceError) in try await store.workspace(id: id) }
    }

    func addWorkspace(machine: MachineID, path: String, name: String?) async throws(RPCError) -> WorkspaceRecord? {
        try await ask { store throws(PersistenceError) in
            try await store.addWorkspace(machine: machine, path: path, name: name)
        }
    }

    func renameWorkspace(id: String, name: String) async throws(RPCError) -> WorkspaceRecord? {
        try await ask { store throws(PersistenceError) in try await store.renameWorkspace(id: id, name: name) }
    }

    func removeWorkspace(id: String) async throws(RPCError) -> Bool {
        try await ask { store throws(PersistenceError) in try await store.removeWorkspace(id: id) }
    }

    func contents(of prompts: [Prompt]) async throws(RPCError) -> [String: PromptContent] {
        let records = prompts.map { PromptRecord(prompt: $0, machineName: "", reportedMachineName: nil) }
        let completed = await interaction.completed(records, maximumBytes: RPCStoreAdapter.maximumContentBytes)
        return Dictionary(
            completed.compactMap { record in record.content.map { (record.prompt.id, $0) } },
            uniquingKeysWith: { first, _ in first }
        )
    }

    func respond(_ response: RPCResponse) async throws(RPCError) {
        let responder = Responder(response.principal)
        do throws(APIError) {
            switch response.request {
            case .prompt(let id, let body): _ = try await interaction.answer(named: id, body, by: responder)
            case .oldest(let session, let isQuestion, let text):
                try await interaction.answerOldest(of: session, isQuestion: isQuestion, with: text, by: responder)
            case .message(let session, let text):
                _ = try await interaction.send(text, id: nil, to: session, by: responder)
            case .interrupt(let session): _ = try await interaction.interrupt(session, by: responder)
            case .escape(let session): try await interaction.escape(session, by: responder)
            }
        } catch {
            throw RPCError(error, method: response.method, sessionID: response.request.sessionID)
        }
    }

    func stop(_ sessionID: String, by principal: Principal) async throws(RPCError) -> Bool {
        do throws(APIError) {
            return try await interaction.stop(sessionID, by: Responder(principal))
        } catch {
            throw RPCError(error, method: "session/stop", sessionID: sessionID)
        }
    }

    func ask(_ request: RPCPermissionRequest) async throws(RPCError) -> RPCPermissionDecision {
        let session = try await session(id: request.sessionID)
        do throws(APIError) {
            return try await context.ask(request, session: session)
        } catch {
            throw RPCError(error, method: "permission/request")
        }
    }

    func push(_ call: RPCPushCall) async throws(RPCError) -> [UInt8] {
        let caller = PushCaller(
            call.principal,
            named: call.named,
            peer: origin.peer,
            requestID: origin.requestID
        )
        do throws(APIError) {
            switch call.request {
            case .offer: return pushAPI.offer()
            case .tokens: return try await pushAPI.tokens(for: caller)
            case .register(let token): return try await pushAPI.register(token, for: caller)
            case .removeTokens(let id): return try await pushAPI.removeTokens(id: id, for: caller)
            case .preferences(let scope, let id):
                return try await pushAPI.preferences(PushLayer(kind: scope, id: id), for: caller)
            case .setPreferences(let scope, let id, let settings):
                var writer = JSONWriter()
                writer.value(settings)
                return try await pushAPI.setPreferences(PushLayer(kind: scope, id: id), writer.bytes, for: caller)
            case .removePreferences(let scope, let id):
                return try await pushAPI.removePreferences(PushLayer(kind: scope, id: id), for: caller)
            }
        } catch {
            throw RPCError(error, method: call.request.method)
        }
    }

    private func ask<Answer>(
        _ body: (PostgresStore) async throws(PersistenceError) -> Answer
    ) async throws(RPCError) -> Answer {
        guard case .ready(let workers) = database.state else { throw .unavailable() }
        do throws(PersistenceError) {
            return try await body(workers.store)
        } catch {
            if error.isDataError { throw .invalidParameter("params", "hold text that cannot be stored") }
            throw error.isRetriable ? .unavailable() : .internalError("the database refused the request")
        }
    }
}

extension RPCError {
    /// By these words cdev's clients know, from the message, that the dialog they show is over.
    private static let cdevHints = [
        "already_answered": "already responded", "prompt_gone": "already responded",
        "prompt_not_found": "request not found",
    ]

    /// The REST error, with JSON-RPC's error codes.
    fileprivate init(_ error: APIError, method: String, sessionID: String? = nil) {
        switch error.code {
        case "session_not_found":
            if let sessionID {
                self = .sessionNotFound(sessionID)
                return
            }
        case "not_reachable":
            self = .notReachable(error.message, method, sessionID: sessionID)
            return
        default: break
        }
        switch error.status {
        case 503: self = .unavailable()
        case 403: self = .notAllowed(error.message, reason: error.code, method)
        case 400..<500:
            let param = error.param.map { [("param", JSONValue.string($0))] } ?? []
            self.init(
                code: -32602,
                message: error.message + (RPCError.cdevHints[error.code].map { " (\($0))" } ?? ""),
                data: .object(param + [("reason", .string(error.code))])
            )
        default: self = .internalError("the request failed")
        }
    }
}
