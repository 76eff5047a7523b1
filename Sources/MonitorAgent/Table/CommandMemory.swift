internal import EventModel
internal import JSON
internal import RPC

/// The outcomes of commands, by their ids: a command that comes again gets the outcome of the first time. Pure.
struct CommandMemory: Sendable {
    enum Outcome: Sendable, Equatable {
        case completed(JSONValue)
        case failed(RPCError)
    }

    struct Entry: Sendable, Equatable {
        var id: String
        var at: Timestamp
        var outcome: Outcome
    }

    enum Admission: Equatable {
        /// Carry it out, then call `finish`.
        case new
        /// It is being carried out: answer when it is done.
        case running
        case done(Outcome)
    }

    static let seconds = 86_400.0
    private let limit: Int
    private var entries: [String: Entry] = [:]
    private var order: [String] = []
    private var running: Set<String> = []

    init(limit: Int = 4096) { self.limit = limit }

    mutating func admit(_ id: String, now: Timestamp) -> Admission {
        forget(now)
        if let entry = entries[id] { return .done(entry.outcome) }
        return running.insert(id).inserted ? .new : .running
    }

    mutating func finish(_ id: String, _ outcome: Outcome, now: Timestamp) -> Entry {
        running.remove(id)
        let entry = Entry(id: id, at: now, outcome: outcome)
        add(entry)
        return entry
    }

    /// Gives a command up without an outcome, so that a repeat carries it out.
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
        switch outcome {
        case .completed(let result): writer.field("result", result)
        case .failed(let error):
            writer.field("code", error.code)
            writer.field("message", error.message)
            if let data = error.data { writer.field("data", data) }
        }
        writer.endObject()
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    init?(_ json: JSONValue) {
        guard let id = json["id"]?.string, let at = json["at"]?.integer else { return nil }
        self.id = id
        self.at = Timestamp(microseconds: at)
        if let result = json["result"] {
            outcome = .completed(result)
        } else if let code = json["code"]?.integer, let message = json["message"]?.string {
            outcome = .failed(RPCError(code: code, message: message, data: json["data"]))
        } else {
            return nil
        }
    }
}
