internal import EventModel
internal import HTTPModel
internal import JSON
internal import Signing
internal import Synchronization

/// The chats whose model waits for the results of its calls. Usable on any thread.
final class ParkedChats: Sendable {
    struct Entry: Sendable {
        /// As the machine names the chat.
        var chat: String
        /// The session of the chat.
        var session: String
        var principal: Principal
        var machine: MachineID
        /// The digest of the request that began the turn.
        var digest: [UInt8]
        var calls: Set<String>
        var deadline: Timestamp
        /// Has the machine end the process.
        var end: @Sendable () async -> Void
    }

    /// Results of all calls that a model waits for.
    struct Results: Sendable {
        /// Objects with `id` and `content`.
        var list: [JSONValue]
        var calls: Set<String>
        /// The digest of the request without the results.
        var digest: [UInt8]
    }

    private let entries = Mutex<[String: Entry]>([:])

    func add(_ entry: Entry) {
        entries.withLock { $0[entry.chat] = entry }
    }

    /// Whether nobody has taken it.
    func has(_ entry: Entry) -> Bool { entries.withLock { $0[entry.chat] != nil } }

    /// Takes the chat that waits for exactly these results, if the same caller has asked for it with the same words.
    func take(_ results: Results, of principal: Principal, now: Timestamp) -> Entry? {
        entries.withLock { entries in
            let found = entries.values.first { $0.waits(for: results, of: principal, now: now) }
            return found.flatMap { entries.removeValue(forKey: $0.chat) }
        }
    }

    /// The chat that `take` would take.
    func waiting(for results: Results, of principal: Principal, now: Timestamp) -> Entry? {
        entries.withLock { $0.values.first { $0.waits(for: results, of: principal, now: now) } }
    }

    func takeAll(of session: String) -> [Entry] {
        entries.withLock { entries in
            let found = entries.values.filter { $0.session == session }
            for entry in found { entries[entry.chat] = nil }
            return found
        }
    }

    /// Returns false if it was taken.
    func remove(_ entry: Entry) -> Bool { entries.withLock { $0.removeValue(forKey: entry.chat) != nil } }
}

extension ParkedChats.Entry {
    fileprivate func waits(for results: ParkedChats.Results, of principal: Principal, now: Timestamp) -> Bool {
        calls == results.calls && digest == results.digest && deadline > now
            && self.principal.auditName == principal.auditName
    }
}

extension ChatRequest {
    /// The digest of everything that determines the model's next message.
    var digest: [UInt8] { digest(of: history + [ChatRequest.message("user", content)]) }

    /// If the last message consists of the results of all calls of the message before it.
    var results: ParkedChats.Results? {
        guard let blocks = content.array, let asked = history.last?["content"]?.array else { return nil }
        var list: [JSONValue] = []
        for block in blocks {
            guard block["type"]?.string == "tool_result", let id = block["tool_use_id"] else { return nil }
            list.append(.object([("id", id), ("content", block["content"] ?? .array([]))]))
        }
        let calls = Set(asked.compactMap { $0["type"]?.string == "tool_use" ? $0["id"]?.string : nil })
        return ParkedChats.Results(list: list, calls: calls, digest: digest(of: history.dropLast()))
    }

    private func digest(of messages: [JSONValue]) -> [UInt8] {
        func text(_ value: String?) -> JSONValue { value.map(JSONValue.string) ?? .null }
        func number(_ value: Double?) -> JSONValue { value.map(JSONValue.number) ?? .null }
        var writer = JSONWriter(reserving: 4096)
        writer.value(
            .array([
                text(model), text(effort), text(systemPrompt), mostTokens.map(JSONValue.integer) ?? .null,
                .array(stopSequences.map(JSONValue.string)), .array(functions.list), functions.choice ?? .null,
                schema ?? .null, number(sampling.temperature), number(sampling.topP), .array(messages),
            ])
        )
        return Digest.sha256(writer.bytes)
    }

    static func message(_ role: String, _ content: JSONValue) -> JSONValue {
        .object([("role", .string(role)), ("content", content)])
    }

    /// SHA-256 of messages, by which the next request with the same ones is known.
    static func digest(ofHistory messages: [JSONValue]) -> [UInt8] {
        var writer = JSONWriter()
        writer.value(.array(messages))
        return Digest.sha256(writer.bytes)
    }
}
