internal import JSON
internal import RPC

/// A call of a machine's tool that a client waits for. The client gets this, sealed, as an event id.
struct HeldToolCall: Sendable, Equatable {
    /// The call's id.
    var call: String
    /// The caller's name in the audit log.
    var caller: String
    var reply: MCPReply
    var progressToken: JSONValue?

    var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("tool_call", call)
        writer.field("caller", caller)
        writer.field("id", reply.id)
        writer.field("version", reply.version.rawValue)
        if let progressToken { writer.field("token", progressToken) }
        writer.endObject()
        return writer.bytes
    }
}

extension HeldToolCall {
    /// Returns `nil` if these are other bytes.
    init?(_ bytes: [UInt8]) {
        guard let json = try? JSONValue.parse(bytes), let call = json["tool_call"]?.string,
            let caller = json["caller"]?.string, let id = json["id"],
            let version = json["version"]?.string.flatMap(MCPVersion.init(rawValue:))
        else { return nil }
        (self.call, self.caller) = (call, caller)
        (reply, progressToken) = (MCPReply(id: id, version: version), json["token"])
    }
}
