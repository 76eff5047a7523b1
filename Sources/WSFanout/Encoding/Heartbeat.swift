public import EventModel
public import JSON

/// A periodic message to clients, which disconnect after 45 s without any message.
public struct Heartbeat: Sendable {
    public var time: Timestamp
    /// Counts the heartbeats of this hub. Not a log position.
    public var number: Int64
    public var report: HeartbeatReport

    public init(time: Timestamp, number: Int64, report: HeartbeatReport) {
        self.time = time
        self.number = number
        self.report = report
    }

    /// A JSON-RPC notification as a WebSocket text frame. Its members are also at the top level, for clients that
    /// know only the bare form.
    public var notification: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("jsonrpc", "2.0")
        writer.field("method", "heartbeat")
        writer.key("params")
        Heartbeat.shape.write(self, to: &writer)
        Heartbeat.shape.writeMembers(of: self, to: &writer)
        writer.endObject()
        return WebSocketFrame.text(writer.bytes)
    }

    /// The bare object as a WebSocket text frame, for clients of a dialect and for sockets without JSON-RPC.
    public var frame: [UInt8] {
        WebSocketFrame.text(Heartbeat.shape.json(self))
    }

    public static let shape = ObjectShape<Heartbeat>("Heartbeat") { it in
        it.constant("event", "heartbeat")
        it.member("timestamp") { $0.time }
        it.constant("agent_type", "claude")
        it.object("payload") { it in
            it.member("server_time") { $0.time }
            it.member("sequence") { $0.number }
            it.member("claude_status", as: JSONSchema.words("running", "waiting", "idle")) { $0.report.claudeStatus }
            it.member("uptime_seconds") { $0.report.uptimeSeconds }
        }
    }
}

/// The server's state in a heartbeat.
public struct HeartbeatReport: Sendable {
    /// `waiting` while any session waits for a person, else `running` while one runs, otherwise `idle`.
    public var claudeStatus: String
    public var uptimeSeconds: Int64

    public init(claudeStatus: String, uptimeSeconds: Int64) {
        self.claudeStatus = claudeStatus
        self.uptimeSeconds = uptimeSeconds
    }
}
