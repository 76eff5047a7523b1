public import JSON

/// A position in the log. `seq` orders all events of an epoch. The epoch changes when the log is restored or truncated,
/// so that a position in the old log is never mistaken for one in the new log.
public struct StreamPosition: Sendable, Hashable {
    public var epoch: String
    public var seq: Int64

    public init(epoch: String, seq: Int64) {
        self.epoch = epoch
        self.seq = seq
    }
}

/// An event that is in the database and has its position in the log.
///
/// It is a class because the fan-out and all projections read the events of a commit, and a copy of a structure with
/// this many strings costs a reference count for each of them.
public final class CommittedEvent: Sendable, Equatable {
    public let seq: Int64
    public let event: MonitorEvent
    public let workspaceID: String?

    public init(seq: Int64, event: MonitorEvent, workspaceID: String?) {
        self.seq = seq
        self.event = event
        self.workspaceID = workspaceID
    }

    public static func == (left: CommittedEvent, right: CommittedEvent) -> Bool {
        left.seq == right.seq && left.event == right.event && left.workspaceID == right.workspaceID
    }

    /// Returns the same event at another position in the log.
    package func moved(to seq: Int64) -> CommittedEvent {
        CommittedEvent(seq: seq, event: event, workspaceID: workspaceID)
    }

    /// Returns an event at the same position in the log with changed content.
    public func replacing(_ change: (inout MonitorEvent) -> Void) -> CommittedEvent {
        var event = event
        change(&event)
        return CommittedEvent(seq: seq, event: event, workspaceID: workspaceID)
    }

    /// The normalized event, the same in REST, WebSocket and SSE.
    ///
    /// - Parameters:
    ///   - payload: the payload to write instead of the event's own.
    ///   - isCut: whether the payload is omitted because it is too large for a message.
    public func write(to writer: inout JSONWriter, epoch: String, payload: [UInt8]? = nil, isCut: Bool = false) {
        writer.beginObject()
        writer.field("event", event.type.rawValue)
        writer.field("type", event.type.rawValue)
        writer.field("seq", seq)
        writer.field("epoch", epoch)
        writer.field("event_id", event.id.description)
        writer.field("timestamp", event.timestamp.description)
        writer.field("received_at", event.receivedAt.description)
        writer.field("session_id", event.sessionID)
        writer.field("workspace_id", workspaceID)
        writer.field("machine_id", event.reportedMachineName ?? event.machineName)
        writer.field("machine_name", event.machineName)
        writer.field("agent_type", "claude")
        writer.field("hook_event_name", event.hookEventName?.text)
        writer.field("tool_name", event.toolName)
        writer.field("summary", event.summary)
        if isCut { writer.field(MessageLimit.mark, true) }
        writer.field("payload", json: isCut ? MessageLimit.emptyPayload : payload ?? event.payload)
        writer.endObject()
    }
}

/// What one commit added to the log, in log order.
public struct CommittedBatch: Sendable, Equatable {
    public var epoch: String
    public var events: [CommittedEvent]

    public init(epoch: String, events: [CommittedEvent]) {
        self.epoch = epoch
        self.events = events
    }
}
