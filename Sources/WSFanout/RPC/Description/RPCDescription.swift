public import EventModel
public import JSON

/// What a method is for, what it takes and what it answers. It stands beside the method: the two change together.
public struct RPCDescription: Sendable {
    public let summary: String
    public let parameters: [RPCParameter]
    /// One of `JSONSchema.rpc`.
    public let result: SchemaName
    /// What the sender must be allowed to do.
    public let needs: Capability
    /// Errors of its own, besides those that follow from its parameters, its capability and the store.
    let errors: [RPCErrorKind]

    public init(
        _ summary: String,
        _ parameters: [RPCParameter] = [],
        as result: SchemaName,
        needs: Capability = .read,
        errors: [RPCErrorKind] = []
    ) {
        self.summary = summary
        self.parameters = parameters
        self.result = result
        self.needs = needs
        self.errors = errors
    }
}

/// The errors that methods document, each in one form.
public enum RPCErrorKind: String, Sendable, CaseIterable {
    case invalidRequest = "InvalidRequest"
    case invalidParams = "InvalidParams"
    case internalError = "InternalError"
    case unavailable = "Unavailable"
    case agentNotConfigured = "AgentNotConfigured"
    case notAllowed = "NotAllowed"
    case sessionNotFound = "SessionNotFound"

    /// As the documents show it.
    var example: RPCError {
        switch self {
        case .invalidRequest: .notInitialized()
        case .invalidParams: .invalidParameter("name", "is required")
        case .internalError: .internalError("the database refused the request")
        case .unavailable: .unavailable()
        case .agentNotConfigured: .agentNotConfigured("agent/run")
        case .notAllowed: .lacking(.administer, .admin, "session/delete")
        case .sessionNotFound: .sessionNotFound("id")
        }
    }

    var summary: String {
        switch self {
        case .invalidRequest: "Before 'initialize' was called, or no request by JSON-RPC 2.0."
        case .invalidParams: "'data.param' is missing or wrong, or names no workspace."
        case .internalError: "The server is at fault."
        case .unavailable: "The database is away, or too many calls are under way. A retry helps."
        case .agentNotConfigured: "It needs an agent on the machine, and this server only watches."
        case .notAllowed: "The credential lacks the capability that the message names."
        case .sessionNotFound: "There is no session of that id."
        }
    }
}
