import EventModel
package import JSON
import RPC

/// The request of a program that asks a person, through the server, whether a tool may run.
package struct RPCPermissionRequest: Sendable, Equatable {
    package var sessionID: String
    package var toolName: String
    /// An object.
    package var toolInput: JSONValue
    package var toolUseID: String
    package var directory: String?
    /// Seconds that the program waits.
    package var seconds: Double
}

/// The decision that the program receives.
package struct RPCPermissionDecision: Sendable, Equatable {
    package enum Scope: String, Sendable, CaseIterable { case once, session, path }

    package var isAllowed: Bool
    package var scope: Scope
    /// The rule that a scope other than `once` stands for, as `Bash(make all)`.
    package var pattern: String?
    package var updatedInput: JSONValue?
    /// What the person said, or the reason why no person decided.
    package var message: String?
    package var isInterrupt: Bool

    package init(
        isAllowed: Bool,
        scope: Scope = .once,
        pattern: String? = nil,
        updatedInput: JSONValue? = nil,
        message: String? = nil,
        isInterrupt: Bool = false
    ) {
        (self.isAllowed, self.scope, self.pattern) = (isAllowed, scope, pattern)
        (self.updatedInput, self.message, self.isInterrupt) = (updatedInput, message, isInterrupt)
    }

    /// The reason why nobody decided. The tool may not run.
    package enum Absence: String, Sendable {
        /// No device may answer.
        case noClients = "no_clients"
        case timeout
        /// The session continued, or another call replaced this one.
        case cancelled
    }

    package init(_ absence: Absence) { self.init(isAllowed: false, message: absence.rawValue) }

    static let shape = ObjectShape<RPCPermissionDecision>("PermissionResponse") { it in
        it.member("decision", as: JSONSchema.choice(["allow", "deny"])) { $0.isAllowed ? "allow" : "deny" }
        it.word("scope") { $0.scope }
        it.member("pattern") { $0.pattern }
        it.member("updated_input") { $0.updatedInput }
        it.member("message") { $0.message }
        it.member("interrupt") { $0.isInterrupt ? true : nil }
    }
}

/// `permission/request`.
enum PermissionRequests {
    private static let seconds: ClosedRange<Int64> = 1...300

    static let request = CdevMethod.query(
        "permission/request",
        "Asks a person whether a tool may run, and waits for the answer, at most five minutes.",
        [
            .placeSessionID, .text("tool_name", "The tool.").required,
            .object("tool_input", [], "Its input.").required,
            .text("tool_use_id", "The call. A repeated request with the same id joins the first.").required,
            .text("cwd", "The directory.", limit: 4096),
            .integer("timeout_seconds", seconds, "How long to wait; 300 where it is left out."),
        ],
        as: RPCPermissionDecision.shape,
        needs: .post,
        errors: [.notAllowed],
        endsWithConversation: true
    ) { call async throws(RPCError) in
        let params = call.params
        return try await call.services.prompts.ask(
            RPCPermissionRequest(
                sessionID: try params.sessionID(),
                toolName: try params.required("tool_name"),
                toolInput: params.value("tool_input") ?? .object([]),
                toolUseID: try params.required("tool_use_id"),
                directory: try params.string("cwd", limit: 4096),
                seconds: Double(try params.integer("timeout_seconds", in: seconds) ?? seconds.upperBound)
            )
        )
    }
}
