internal import JSON
internal import RPC

/// A part of the answer to a message that somebody follows. It is not stored.
package struct AgentTurnStep: Sendable, Equatable {
    package enum Kind: String, Sendable {
        /// The message may be sent now.
        case ready
        case text
        case thinking
        /// A tool is called.
        case tool
        case toolEnded = "tool_ended"
    }

    package let messageID: String
    /// `nil` for a kind that this server does not know.
    package let kind: Kind?
    package let text: String
    /// Of the tool's call.
    package let callID: String
    package let toolName: String
    package let isError: Bool

    init(_ params: RPCParams) throws(RPCError) {
        messageID = try params.required("message_id", limit: 64)
        kind = Kind(rawValue: try params.required("kind", limit: 32))
        text = params.value("text")?.string ?? ""
        callID = try params.string("id", limit: 256) ?? ""
        toolName = try params.string("name", limit: 256) ?? ""
        isError = try params.boolean("is_error") ?? false
    }
}
