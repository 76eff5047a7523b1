import JSON

/// `initialize`, `initialized`, `shutdown`, `ping`.
enum LifecycleMethods {
    static let all = [initialize, initialized, shutdown, ping]

    /// The first call on a socket; from then on every event comes, live. Calling it again answers the same and changes
    /// nothing.
    static let initialize = RPCMethod.immediate("initialize") { call throws(RPCError) in
        try check(call.params)
        if call.phase == .new {
            call.phase = .ready
            call.act(.subscribe(.all, after: call.context.window.position))
        }
        let (clientID, context) = (call.clientID, call.context)
        return RPCResult { writer in
            writer.field("protocolVersion", "1.0" as String?)
            // Clients read one spelling or the other.
            for name in ["serverInfo", "server_info"] {
                writer.beginObject(name)
                writer.field("name", "claude-monitor" as String?)
                writer.field("version", context.serverVersion)
                writer.endObject()
            }
            writeCapabilities(to: &writer)
            writer.field("clientId", clientID)
            writer.field("client_id", clientID)
            writer.field("epoch", context.window.epoch)
            writer.field("seq", context.window.head)
        }
    }

    static let initialized = RPCMethod.immediate("initialized") { _ in .empty }

    static let shutdown = RPCMethod.immediate("shutdown") { call in
        call.phase = .closed
        call.act(.close(.normal))
        return RPCResult { writer in
            writer.field("success", true as Bool?)
            writer.field("status", "ok" as String?)
        }
    }

    /// For clients that cannot send WebSocket pings, as browsers.
    static let ping = RPCMethod.immediate("ping") { _ in .empty }

    private static func check(_ params: RPCParams) throws(RPCError) {
        for name in ["clientInfo", "client_info"] {
            guard let info = try params.object(name) else { continue }
            _ = try info.string("name")
            _ = try info.string("version")
        }
    }

    private static let absent: [(group: String, names: [String])] = [
        ("agent", ["run", "stop", "respond", "sessions", "sessionWatch"]),
        ("git", ["status", "diff", "stage", "commit", "push", "pull"]),
        ("file", ["get", "list"]),
        ("repository", ["index", "search"]),
    ]

    /// What this server cannot do is said to be absent, since clients draw buttons by it.
    private static func writeCapabilities(to writer: inout JSONWriter) {
        writer.beginObject("capabilities")
        for (group, names) in absent {
            writer.beginObject(group)
            for name in names { writer.field(name, false as Bool?) }
            writer.endObject()
        }
        writer.beginObject("events")
        writer.field("subscribe", true as Bool?)
        writer.field("resume", true as Bool?)
        writer.endObject()
        writer.beginArray("notifications")
        for name in ["event/*", "heartbeat"] { writer.string(name) }
        writer.endArray()
        writer.beginArray("supportedAgents")
        writer.string("claude")
        writer.endArray()
        writer.endObject()
    }
}
