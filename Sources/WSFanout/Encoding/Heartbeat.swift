public import EventModel
import JSON

/// The sign of life that clients wait for: any message within 45 s keeps them connected.
public struct Heartbeat: Sendable {
    public var time: Timestamp
    /// Counts the heartbeats of this hub; no place in the log.
    public var number: Int64
    public var report: HeartbeatReport

    public init(time: Timestamp, number: Int64, report: HeartbeatReport) {
        self.time = time
        self.number = number
        self.report = report
    }

    /// A JSON-RPC notification, as a WebSocket text frame. Its members stand at the top as well, for clients that know
    /// the bare form.
    public var notification: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("jsonrpc", "2.0")
        writer.field("method", "heartbeat")
        writer.beginObject("params")
        writeMembers(to: &writer)
        writer.endObject()
        writeMembers(to: &writer)
        writer.endObject()
        return WebSocketFrame.text(writer.bytes)
    }

    /// The bare object, as a WebSocket text frame: for clients of a dialect, and where nobody speaks JSON-RPC.
    public var frame: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writeMembers(to: &writer)
        writer.endObject()
        return WebSocketFrame.text(writer.bytes)
    }

    private func writeMembers(to writer: inout JSONWriter) {
        writer.field("event", "heartbeat")
        writer.field("timestamp", time.description)
        writer.field("agent_type", "claude")
        writer.beginObject("payload")
        writer.field("server_time", time.description)
        writer.field("sequence", number)
        writer.field("claude_status", report.claudeStatus)
        writer.field("uptime_seconds", report.uptimeSeconds)
        writer.endObject()
    }
}

/// What a heartbeat says about the server.
public struct HeartbeatReport: Sendable {
    /// `running` while any session runs, `waiting` while one waits for a person, else `idle`.
    public var claudeStatus: String
    public var uptimeSeconds: Int64

    public init(claudeStatus: String, uptimeSeconds: Int64) {
        self.claudeStatus = claudeStatus
        self.uptimeSeconds = uptimeSeconds
    }
}
