package import EventModel
package import JSON
import RPC

/// A client's answer or message to a session, with its sender.
package struct RPCResponse: Sendable {
    package enum Request: Sendable, Equatable {
        /// An answer to the prompt with this id, which is the prompt's own id or Claude's id of the call.
        case prompt(id: String, JSONValue)
        /// The same, as yes, no or a text.
        case named(id: String, String, isRefusal: Bool)
        /// An answer to the oldest open permission or question of a session: yes, no, or a text.
        case oldest(sessionID: String, isQuestion: Bool, String)
        case message(sessionID: String, String)
        case interrupt(sessionID: String)
        /// Escape at the terminal: refuses what the session asks and ends its turn, or else ends the turn at its next
        /// tool.
        case escape(sessionID: String)
        /// What a keyboard sends, for a session in a terminal of the machine's agent.
        case keys(sessionID: String, String)
        case size(sessionID: String, columns: Int64, rows: Int64)

        /// `nil` if the response names a prompt.
        package var sessionID: String? {
            switch self {
            case .prompt, .named: nil
            case .oldest(let id, _, _), .message(let id, _), .interrupt(let id), .escape(let id), .keys(let id, _),
                .size(let id, _, _):
                id
            }
        }
    }

    /// The owner of the WebSocket.
    package var principal: Principal
    package var method: String
    package var request: Request
}

/// `permission/respond`, `session/respond`: answers to sessions.
enum AnswerMethods {
    static let all = [permissionRespond, sessionRespond]

    private static let success = ObjectShape<Void>("Success") { it in it.member("success") { _ in true } }

    private static let permissionRespond = CdevMethod.query(
        "permission/respond",
        "Answers a permission request.",
        [
            .text("tool_use_id", "The request, or the prompt.").required,
            .choice("decision", ["allow", "deny"], "What it says.").required,
            .choice("scope", ["once", "session", "always"], "'once' where it is left out."),
            .text("message", "What Claude is told with a 'deny'.", limit: 1 << 14),
        ],
        as: success,
        needs: .respond,
        errors: [.notAllowed]
    ) { call async throws(RPCError) in
        let params = call.params
        var body: [(String, JSONValue)] = [("decision", .string(try params.required("decision")))]
        if let scope = try params.string("scope") { body.append(("scope", .string(scope))) }
        if let message = try params.string("message", limit: 1 << 14) { body.append(("message", .string(message))) }
        try await respond(call, "permission/respond", .prompt(id: try params.required("tool_use_id"), .object(body)))
    }

    private static let sessionRespond = CdevMethod.query(
        "session/respond",
        "Answers what a session asks.",
        [
            .placeSessionID, .choice("type", ["permission", "question"], "What is answered.").required,
            .text("response", "yes, no or a text.", limit: 1 << 16).required, .agentType,
        ],
        as: ObjectShape<String>("SessionResponse") { it in
            it.constant("status", "responded")
            it.member("session_id") { $0 }
            it.constant("agent_type", "claude")
        },
        needs: .respond,
        errors: [.sessionNotFound, .notAllowed]
    ) { call async throws(RPCError) in
        let session = try call.params.sessionID()
        let isQuestion = try call.params.required("type") == "question"
        let response = try call.params.required("response", limit: 1 << 16)
        try await respond(
            call,
            "session/respond",
            .oldest(sessionID: session, isQuestion: isQuestion, response)
        )
        return session
    }

    static func respond(
        _ call: CdevQuery,
        _ method: String,
        _ request: RPCResponse.Request
    ) async throws(RPCError) {
        try await call.services.prompts.respond(
            RPCResponse(principal: call.context.principal, method: method, request: request)
        )
    }
}
