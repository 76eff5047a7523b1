internal import EventModel
internal import JSON

/// The results of commands that were carried out, by the commands' ids: one that comes again gets the result of the
/// first time. A command that was refused has done nothing, so it is judged anew. Pure.
struct CommandMemory: Sendable {
    struct Entry: Sendable, Equatable {
        var id: String
        var at: Timestamp
        var result: JSONValue
    }

    enum Admission: Equatable {
        /// Carry it out, then call `finish`.
        case new
        /// It is being carried out: answer when it is done.
        case running
        case done(JSONValue)
    }

    static let seconds = 86_400.0
    private let limit: Int
    /// The bytes of the lines on disk.
    private let byteLimit: Int
    private var entries: [String: (entry: Entry, bytes: Int)] = [:]
    private var order: [String] = []
    private var bytes = 0
    private var running: Set<String> = []

    init(limit: Int = 4096, bytes byteLimit: Int = 4 << 20) { (self.limit, self.byteLimit) = (limit, byteLimit) }

    mutating func admit(_ id: String, now: Timestamp) -> Admission {
        forget(now)
        if let known = entries[id] { return .done(known.entry.result) }
        return running.insert(id).inserted ? .new : .running
    }

    mutating func finish(_ id: String, _ result: JSONValue, now: Timestamp) -> Entry {
        running.remove(id)
        let entry = Entry(id: id, at: now, result: result)
        add(entry)
        return entry
    }

    /// The command was not carried out.
    mutating func abandon(_ id: String) { running.remove(id) }

    private mutating func add(_ entry: Entry) {
        let size = entry.line.count
        bytes += size
        if let earlier = entries.updateValue((entry, size), forKey: entry.id) {
            bytes -= earlier.bytes
        } else {
            order.append(entry.id)
        }
        while order.count > limit || bytes > byteLimit, order.count > 1 { removeFirst() }
    }

    private mutating func removeFirst() {
        bytes -= entries.removeValue(forKey: order.removeFirst())?.bytes ?? 0
    }

    private mutating func forget(_ now: Timestamp) {
        while let first = order.first, let known = entries[first],
            now.seconds(since: known.entry.at) >= CommandMemory.seconds
        {
            removeFirst()
        }
    }

    // MARK: On disk, one entry a line

    /// Reads what was stored. Lines that were cut are passed over.
    init(stored text: [UInt8], now: Timestamp, limit: Int = 4096, bytes: Int = 4 << 20) {
        self.init(limit: limit, bytes: bytes)
        for line in text.split(separator: UInt8(ascii: "\n")) {
            guard let json = try? JSONValue.parse(Array(line), maxDepth: 128), let entry = Entry(json) else { continue }
            // A clock that was set back must not keep an entry for ever.
            if abs(now.seconds(since: entry.at)) < CommandMemory.seconds { add(entry) }
        }
    }

    var stored: [UInt8] { order.compactMap { entries[$0] }.flatMap(\.entry.line) }
}

extension CommandMemory.Entry {
    var line: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("id", id)
        writer.field("at", at.microseconds)
        writer.field("result", result)
        writer.endObject()
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    init?(_ json: JSONValue) {
        guard let id = json["id"]?.string, let at = json["at"]?.integer, let result = json["result"] else { return nil }
        (self.id, self.at, self.result) = (id, Timestamp(microseconds: at), result)
    }
}
