internal import EventModel
internal import JSON

/// The file of events that were acknowledged and then permanently rejected by the database. It has one JSON object
/// per line, with the reason and everything that is needed to post the event again.
struct RejectedEvents {
    private let directory: SpoolDirectory
    private let path: String
    private let byteLimit: Int
    private let faults: DiskFaults

    init(in directory: SpoolDirectory, byteLimit: Int) {
        self.directory = directory
        path = directory.rejectedPath
        faults = directory.faults
        self.byteLimit = byteLimit
    }

    enum Kept {
        case kept(bytes: Int)
        /// The file has reached its size limit.
        case full
    }

    /// The events are durable when the function returns.
    func keep(_ rejected: [(event: MonitorEvent, reason: String)]) throws(SpoolError) -> Kept {
        var bytes: [UInt8] = []
        for (event, reason) in rejected { bytes += RejectedEvents.line(event, reason) }
        let file = try SpoolFile(changing: path, faults: faults)
        let size = try file.size()
        guard size + bytes.count <= byteLimit else { return .full }
        try file.write(bytes, at: size)
        try file.sync()
        if size == 0 { try directory.sync() }
        return .kept(bytes: bytes.count)
    }

    /// Removes the events of these sessions, and all of the machine. Returns the number of bytes removed.
    func erase(_ subject: SpoolErasure) throws(SpoolError) -> Int {
        guard let size = try? SpoolFile(reading: path).size(), size > 0 else { return 0 }
        let file = try SpoolFile(changing: path, faults: faults)
        var kept: [UInt8] = []
        for line in try file.read(at: 0, limit: size).split(separator: UInt8(ascii: "\n")) {
            guard let event = try? JSONValue.parse(Array(line), maxDepth: 8), !subject.holds(event) else { continue }
            kept += line + [UInt8(ascii: "\n")]
        }
        guard kept.count < size else { return 0 }
        try file.write(kept, at: 0)
        try file.truncate(to: kept.count)
        try file.sync()
        return size - kept.count
    }

    static func bytes(in directory: SpoolDirectory) -> Int {
        guard let file = try? SpoolFile(reading: directory.rejectedPath) else { return 0 }
        return (try? file.size()) ?? 0
    }

    /// The payload is stored as a string, because it may be invalid JSON.
    private static func line(_ event: MonitorEvent, _ reason: String) -> [UInt8] {
        var writer = JSONWriter(reserving: event.payload.count + 512)
        writer.beginObject()
        writer.field("reason", reason)
        writer.field("event_id", event.id.description)
        writer.field("type", event.type.rawValue)
        writer.field("hook_event_name", event.hookEventName?.text)
        writer.field("timestamp", event.timestamp.description)
        writer.field("received_at", event.receivedAt.description)
        writer.field("machine", event.machine.rawValue)
        writer.field("machine_id", event.machineName)
        writer.field("session_id", event.sessionID)
        writer.field("project_path", event.projectPath)
        writer.field("tool_name", event.toolName)
        writer.field("summary", event.summary)
        writer.field("payload", String(decoding: event.payload, as: UTF8.self))
        writer.endObject()
        return writer.bytes + [UInt8(ascii: "\n")]
    }
}
