package import JSON
package import Sessions

/// What a hook prints for an answer.
package enum HookDecision: Sendable, Equatable {
    /// - Parameter updatedInput: `nil` leaves the input as it is.
    case allow(updatedInput: JSONValue?, permissions: [JSONValue])
    case deny(message: String, isInterrupt: Bool)
    case elicitation(action: String, content: JSONValue?)

    /// The decision that is stored and shown.
    package var decision: Prompt.Decision {
        switch self {
        case .allow, .elicitation("accept", _): .allow
        case .deny, .elicitation: .deny
        }
    }

    /// Whether it ends the turn.
    var isInterrupt: Bool { if case .deny(_, true) = self { true } else { false } }

    /// How long it allows more than this call. `nil` for a refusal.
    package var scope: PromptAnswer.Scope? {
        guard decision == .allow else { return nil }
        guard case .allow(_, let permissions) = self else { return .once }
        if permissions.contains(where: { $0["destination"]?.string != "session" }) { return .always }
        return permissions.contains { $0["type"]?.string == "addRules" } ? .session : .once
    }

    /// The output of the hook, as Claude Code reads it.
    package var output: [UInt8] {
        var writer = JSONWriter(reserving: 512)
        writer.beginObject()
        writer.beginObject("hookSpecificOutput")
        switch self {
        case .allow(let input, let permissions):
            writer.field("hookEventName", "PermissionRequest")
            writer.beginObject("decision")
            writer.field("behavior", "allow")
            if let input { writer.field("updatedInput", input) }
            if !permissions.isEmpty { writer.field("updatedPermissions", .array(permissions)) }
            writer.endObject()
        case .deny(let message, let isInterrupt):
            writer.field("hookEventName", "PermissionRequest")
            writer.beginObject("decision")
            writer.field("behavior", "deny")
            writer.field("message", message)
            if isInterrupt { writer.field("interrupt", true) }
            writer.endObject()
        case .elicitation(let action, let content):
            writer.field("hookEventName", "Elicitation")
            writer.field("action", action)
            if let content { writer.field("content", content) }
        }
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }
}
