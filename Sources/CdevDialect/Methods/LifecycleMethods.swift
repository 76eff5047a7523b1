import EventModel
import GitInterface
import JSON
import RPC
import WSFanout

/// `initialize`, `initialized`, `shutdown`, `ping`.
enum LifecycleMethods {
    static let all = [initialize, ready, shutdown, ping]

    /// The first call on a socket. From then on, every event is sent live. A repeated call returns the same answer and
    /// changes nothing.
    static let initialize = CdevMethod.immediate(
        "initialize",
        "The first call on a socket; from then on events come.",
        introduction,
        as: initialized
    ) { call throws(RPCError) in
        let dialect = try dialect(call.params)
        if call.isOpening {
            call.stream.dialect = dialect
            call.stream.hasChosenDialect = try call.params.dialect() != nil
            call.act(.subscribe(.all, after: call.context.window.position, transport: call.stream.transport))
            call.remind(.lastSession)
        }
        return (call.state.clientID, call.context)
    }

    private static let introduction: [RPCParameter] = [
        .object(
            "clientInfo",
            [.text("name", "The client."), .text("version", "Its version.")],
            "Names whose name begins with 'cdev' get the cdev dialect."
        ).also("client_info"),
        .dialect, .anything("protocolVersion", "Taken as it comes."),
        .anything("capabilities", "Taken as it comes."), .anything("rootPath", "Taken as it comes."),
    ]

    private static let initialized = ObjectShape<(clientID: String, context: CdevContext)>("Initialized") { it in
        it.constant("protocolVersion", "1.0")
        // Some clients read one spelling, others the other.
        it.object("serverInfo", program) { $0.context.serverVersion }
        it.object("server_info", program) { $0.context.serverVersion }
        it.custom("capabilities", JSONSchema.one("Capabilities")) {
            writeCapabilities(in: $0.context, to: &$1)
        }
        it.member("clientId") { $0.clientID }
        it.member("client_id") { $0.clientID }
        it.member("epoch") { $0.context.window.epoch }
        it.member("seq") { $0.context.window.head }
    }

    private static let program = ObjectShape<String>("Program") { it in
        it.member("name") { _ in "claude-monitor" }
        it.member("version") { $0 }
    }

    static let ready = CdevMethod.immediate(
        "initialized",
        RPCDescription("The client is ready.", as: "Empty")
    ) { _ in .empty }

    static let shutdown = CdevMethod.immediate(
        "shutdown",
        "Ends the conversation; the socket is closed.",
        as: ObjectShape<Void>("ShutDown") { it in
            it.member("success") { _ in true }
            it.constant("status", "ok")
        }
    ) { call in
        call.end()
    }

    /// For clients that cannot send WebSocket pings, such as browsers.
    static let ping = CdevMethod.immediate(
        "ping",
        RPCDescription("For clients that cannot send WebSocket pings.", as: "Empty")
    ) { _ in .empty }

    /// The requested dialect. Without a request, the one that clients of this name use.
    private static func dialect(_ params: RPCParams) throws(RPCError) -> Dialect {
        var clientName: String?
        for name in ["clientInfo", "client_info"] {
            guard let info = try params.object(name) else { continue }
            let sent = try info.string("name")
            clientName = clientName ?? sent
            _ = try info.string("version")
        }
        return try params.dialect() ?? Dialect(clientName: clientName)
    }

    private static func writeCapabilities(in context: CdevContext, to writer: inout JSONWriter) {
        writer.beginObject()
        for (group, flags) in CapabilityFlags.groups(in: context) {
            writer.beginObject(group)
            for (name, isPresent) in flags { writer.field(name, isPresent) }
            writer.endObject()
        }
        writer.strings("granted", context.principal.grants.capabilities.map(\.rawValue))
        writer.strings("dialects", Dialect.allCases.map(\.rawValue))
        writer.beginArray("notifications")
        for name in ["event/*", OpenPromptsNotice.method, "heartbeat"] { writer.string(name) }
        writer.endArray()
        writer.beginArray("supportedAgents")
        writer.string("claude")
        writer.endArray()
        writer.endObject()
    }
}
