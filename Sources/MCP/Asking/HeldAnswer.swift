internal import EventModel
internal import JSON
internal import RPC

/// A call that still waits for its answer. The client gets this, sealed, as an event id. It sends the id back when it
/// reconnects.
struct HeldAnswer: Sendable, Equatable {
    var call: OpenCall
    var reply: MCPReply
    var progressToken: JSONValue?

    init(_ call: OpenCall, _ reply: MCPReply, _ progressToken: JSONValue?) {
        (self.call, self.reply, self.progressToken) = (call, reply, progressToken)
    }

    var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("event", call.event.description)
        writer.field("machine", call.machine.rawValue)
        writer.field("name", call.machineName)
        writer.field("session", call.session)
        writer.field("call", call.toolUseID)
        writer.field("until", call.until.microseconds)
        writer.field("policy", call.policy)
        writer.field("alone", call.isAlone)
        if let choices = call.choices { writer.field("choices", .array(choices.map(JSONValue.string))) }
        writer.field("ahead", call.aheadMicroseconds)
        writer.field("id", reply.id)
        writer.field("version", reply.version.rawValue)
        if let progressToken { writer.field("token", progressToken) }
        writer.endObject()
        return writer.bytes
    }

    /// Returns `nil` if these are other bytes.
    init?(_ bytes: [UInt8]) {
        guard let json = try? JSONValue.parse(bytes), let event = json["event"]?.string.flatMap(EventID.init),
            let machine = json["machine"]?.integer, let name = json["name"]?.string,
            let session = json["session"]?.string,
            let call = json["call"]?.string, let until = json["until"]?.integer, let id = json["id"],
            let version = json["version"]?.string.flatMap(MCPVersion.init(rawValue:))
        else { return nil }
        self.call = OpenCall(
            event: event,
            machine: MachineID(rawValue: machine),
            machineName: name,
            session: session,
            toolUseID: call,
            until: Timestamp(microseconds: until),
            policy: json["policy"]?.string,
            isAlone: json["alone"]?.bool ?? false
        )
        self.call.choices = json["choices"]?.array?.compactMap(\.string)
        self.call.aheadMicroseconds = json["ahead"]?.integer ?? 0
        (reply, progressToken) = (MCPReply(id: id, version: version), json["token"])
    }
}
