internal import API
internal import Access
internal import Agents
internal import CdevDialect
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Messages
internal import Prompts
internal import RPC
internal import Sessions

/// Prompts and messages for cdev's methods.
struct CdevInteraction: CdevPrompts {
    let context: ServerContext

    /// The limit for the contents of all prompts in one response.
    private static let maximumContentBytes = MessageLimit.payload

    func contents(of prompts: [Prompt]) async throws(RPCError) -> [String: PromptContent] {
        let records = prompts.map { PromptRecord(prompt: $0, machineName: "", reportedMachineName: nil) }
        let limit = CdevInteraction.maximumContentBytes
        let completed = await context.prompts.reader.completed(records, maximumBytes: limit)
        return Dictionary(
            completed.compactMap { record in record.content.map { (record.prompt.id, $0) } },
            uniquingKeysWith: { first, _ in first }
        )
    }

    func respond(_ response: RPCResponse) async throws(RPCError) {
        let answers = context.prompts.answers
        do throws(APIError) {
            try await change(by: response.principal) { responder async throws(APIError) in
                switch response.request {
                case .prompt(let id, let body): _ = try await answers.answer(named: id, body, by: responder)
                case .named(let id, let text, let isRefusal):
                    try await answers.answer(named: id, with: text, isRefusal: isRefusal, by: responder)
                case .oldest(let session, let isQuestion, let text):
                    try await answers.answerOldest(of: session, isQuestion: isQuestion, with: text, by: responder)
                case .message(let session, let text):
                    _ = try await context.messages.send(text, id: nil, to: session, by: responder)
                case .interrupt(let session): _ = try await context.messages.interrupt(session, by: responder)
                case .escape(let session): try await context.escape(session, by: responder)
                case .keys(let session, let keys): try await context.agents.type(keys, in: session, by: responder)
                case .size(let session, let columns, let rows):
                    try await context.agents.resize(session, columns: columns, rows: rows, by: responder)
                }
            }
        } catch {
            throw RPCError(error, method: response.method, sessionID: response.request.sessionID)
        }
    }

    func stop(_ sessionID: String, by principal: Principal) async throws(RPCError) -> Bool {
        do throws(APIError) {
            return try await change(by: principal) { responder async throws(APIError) in
                try await context.stop(sessionID, by: responder)
            }
        } catch {
            throw RPCError(error, method: "session/stop", sessionID: sessionID)
        }
    }

    /// A change that a device makes begins with the rights that the device has then.
    private func change<Answer: Sendable>(
        by principal: Principal,
        _ body: @Sendable (Responder) async throws(APIError) -> Answer
    ) async throws(APIError) -> Answer {
        guard case .device(let claims, _) = principal.holder else { return try await body(Responder(principal)) }
        let authenticator = context.authenticator
        return try await authenticator.changes.run(by: claims.device) { () async throws(APIError) in
            try await body(Responder(try authenticator.renewed(principal, for: .respond)))
        }
    }

    func ask(_ request: RPCPermissionRequest) async throws(RPCError) -> RPCPermissionDecision {
        let session = try await CdevDatabase(context: context).session(id: request.sessionID)
        do throws(APIError) {
            return try await context.ask(request, session: session)
        } catch {
            throw RPCError(error, method: "permission/request")
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
    init(_ error: APIError, method: String, sessionID: String? = nil) {
        switch error.code {
        case "session_not_found":
            if let sessionID {
                self = .sessionNotFound(sessionID)
                return
            }
        case "not_reachable", "agent_unavailable":
            self = .notReachable(error.message, method, sessionID: sessionID)
            return
        case "agent_timeout":
            self.init(code: RPCError.unavailable().code, message: error.message, data: RPCError.unavailable().data)
            return
        case _ where AgentRefusal.isOfMachine(error):
            self = .notAllowed(error.message, reason: error.code, method)
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
