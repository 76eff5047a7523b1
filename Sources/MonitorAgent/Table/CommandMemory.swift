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
    private var entries: [String: Entry] = [:]
    private var order: [String] = []
    private var running: Set<String> = []

    init(limit: Int = 4096) { self.limit = limit }

    mutating func admit(_ id: String, now: Timestamp) -> Admission {
        forget(now)
        if let entry = entries[id] { return .done(entry.result) }
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
        if entries.updateValue(entry, forKey: entry.id) == nil { order.append(entry.id) }
        while order.count > limit { entries[order.removeFirst()] = nil }
    }

    private mutating func forget(_ now: Timestamp) {
        while let first = order.first, let entry = entries[first],
            now.seconds(since: entry.at) >= CommandMemory.seconds
        {
            order.removeFirst()
            entries[first] = nil
        }
    }

    // MARK: On disk, one entry a line

    /// Reads what was stored. Lines that were cut are passed over.
    init(stored text: [UInt8], now: Timestamp, limit: Int = 4096) {
        self.init(limit: limit)
        for line in text.split(separator: UInt8(ascii: "\n")) {
            guard let json = try? JSONValue.parse(Array(line), maxDepth: 128), let entry = Entry(json) else { continue }
            // A clock that was set back must not keep an entry for ever.
            if abs(now.seconds(since: entry.at)) < CommandMemory.seconds { add(entry) }
        }
    }

    var stored: [UInt8] { order.compactMap { entries[$0] }.flatMap(\.line) }
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
