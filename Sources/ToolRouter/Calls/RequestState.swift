internal import EventModel
internal import JSON

/// What a program sends back to continue waiting for a call. A state is sealed, so that only servers of this database
/// can read or make it. It names everything for which the call was approved. Each state can be used once.
struct RequestState: Sendable, Equatable {
    var call: String
    /// Increases with each state of the call.
    var turn: Int64
    /// The caller, as the audit log names principals.
    var caller: String
    /// The session; empty for a call without one.
    var session: String
    var server: String
    var tool: String
    /// SHA-256 of the tool's definition.
    var definition: String
    /// SHA-256 of the arguments.
    var arguments: String
    var expiresAt: Timestamp

    private static let kind = "router"

    var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("kind", RequestState.kind)
        writer.field("call", call)
        writer.field("turn", turn)
        writer.field("caller", caller)
        writer.field("session", session)
        writer.field("server", server)
        writer.field("tool", tool)
        writer.field("definition", definition)
        writer.field("arguments", arguments)
        writer.field("until", expiresAt.microseconds)
        writer.endObject()
        return writer.bytes
    }

    /// Whether the other state belongs to the same call, whatever its turn.
    func isSameCall(as other: RequestState) -> Bool {
        var same = other
        (same.call, same.turn, same.expiresAt) = (call, turn, expiresAt)
        return same == self
    }
}

extension RequestState {
    /// Returns `nil` if the bytes are not a sealed state.
    init?(_ bytes: [UInt8]) {
        guard let json = try? JSONValue.parse(bytes), json["kind"]?.string == RequestState.kind,
            let call = json["call"]?.string, let turn = json["turn"]?.integer, let caller = json["caller"]?.string,
            let session = json["session"]?.string, let server = json["server"]?.string,
            let tool = json["tool"]?.string, let definition = json["definition"]?.string,
            let arguments = json["arguments"]?.string, let until = json["until"]?.integer
        else { return nil }
        (self.call, self.turn, self.caller, self.session) = (call, turn, caller, session)
        (self.server, self.tool, self.definition) = (server, tool, definition)
        (self.arguments, expiresAt) = (arguments, Timestamp(microseconds: until))
    }
}
