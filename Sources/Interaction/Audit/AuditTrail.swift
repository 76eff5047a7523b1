package import EventModel
package import JSON
internal import Persistence
internal import Sessions
internal import Signing

/// The record of an answer or a message. Contains only what the content policy keeps.
struct TrailEntry: Sendable {
    /// The key is the same for each attempt to record the entry.
    var key: String
    var at: Timestamp
    var sessionID: String
    /// JSON.
    var text: [UInt8]

    private init(_ key: String, _ at: Timestamp, _ sessionID: String, _ fields: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        writer.beginObject()
        fields(&writer)
        writer.endObject()
        (self.key, self.at, self.sessionID, text) = (key, at, sessionID, writer.bytes)
    }

    static func answered(_ prompt: Prompt, _ answer: PromptAnswer, isLate: Bool) -> TrailEntry {
        let action = isLate ? "prompt.answer.late" : "prompt.answer"
        return TrailEntry("\(action):\(prompt.id):\(answer.id)", answer.at, prompt.sessionID) { writer in
            writer.field("action", action)
            TrailEntry.write(prompt, to: &writer)
            writer.key("answer")
            answer.write(to: &writer)
        }
    }

    /// The entry for a device that read a prompt with nothing masked. A device has one for each prompt.
    static func revealed(_ prompt: Prompt, deviceID: String?, name: String?, at time: Timestamp) -> TrailEntry {
        TrailEntry("prompt.reveal:\(prompt.id):\(deviceID ?? "operator")", time, prompt.sessionID) { writer in
            writer.field("action", "prompt.reveal")
            TrailEntry.write(prompt, to: &writer)
            writer.beginObject("by")
            writer.field("kind", deviceID == nil ? Prompt.Answerer.operator.rawValue : Prompt.Answerer.device.rawValue)
            writer.field("id", deviceID)
            writer.field("name", name)
            writer.endObject()
        }
    }

    /// The entry for what became of the answer, with the event that shows it.
    static func settled(_ prompt: Prompt, _ step: PromptStep) -> TrailEntry {
        TrailEntry("prompt.\(step.name):\(prompt.id)", step.at, prompt.sessionID) { writer in
            writer.field("action", "prompt.\(step.name)")
            TrailEntry.write(prompt, to: &writer)
            writer.field("evidence", step.evidence?.description)
        }
    }

    /// - Parameter text: what the content policy keeps of it.
    static func sent(_ message: SessionMessage, text: String?) -> TrailEntry {
        TrailEntry("message:\(message.id):\(message.state.rawValue)", message.queuedAt, message.sessionID) { writer in
            var shown = message
            shown.text = text
            writer.field("action", "\(message.kind.rawValue).\(message.state.rawValue)")
            writer.key("message")
            SessionMessage.shape.write(shown, to: &writer)
        }
    }

    private static func write(_ prompt: Prompt, to writer: inout JSONWriter) {
        writer.field("prompt_id", prompt.id)
        writer.field("session_id", prompt.sessionID)
        writer.field("machine_id", String(prompt.machine.rawValue))
        writer.field("kind", prompt.kind.rawValue)
        writer.field("tool_name", prompt.toolName)
        writer.field("detail", prompt.detail)
        writer.field("risk", prompt.risk?.rawValue)
    }
}

/// An entry of the chain. `link` is the SHA-256 of the previous entry's link and this `digest`.
package struct TrailRecord: Sendable {
    package var id: Int64
    package var at: Timestamp
    /// JSON; `nil` after it was erased.
    package var entry: [UInt8]?
    package var digest: [UInt8]
    package var link: [UInt8]

    package static let shape = ObjectShape<TrailRecord>("TrailRecord") { it in
        it.member("id") { String($0.id) }
        it.member("at") { $0.at }
        it.member("entry") { $0.entry.map(JSONText.init) }
        it.member("entry_text") { $0.entry.map { String(decoding: $0, as: UTF8.self) } }
        it.member("digest") { Hex.encode($0.digest) }
        it.member("link") { Hex.encode($0.link) }
    }
}

enum TrailStatements {
    /// An arbitrary number that no other lock uses.
    private static let lockNumber = 7_402_115_893

    static let begin = Statement("begin_trail", "BEGIN")
    static let lock = Statement("lock_trail", "SELECT pg_advisory_xact_lock(\(lockNumber))")
    static let commit = Statement("commit_trail", "COMMIT")
    static let rollback = Statement("rollback_trail", "ROLLBACK")

    private static let columns = """
        INSERT INTO answer_audit (key, at, session_id, entry, digest, link)
        SELECT $1, $2, $3, $4, sha256(convert_to($4, 'UTF8')),
            sha256(coalesce((SELECT link FROM answer_audit ORDER BY id DESC LIMIT 1), decode(repeat('00', 32), 'hex'))
                || sha256(convert_to($4, 'UTF8')))
        """

    static let add = Statement(
        "add_to_trail",
        [.text, .timestamptz, .text, .text],
        "\(columns) WHERE NOT EXISTS (SELECT 1 FROM answer_audit WHERE key = $1)"
    )

    /// Only for the answer that made the row.
    static let addAnswer = Statement(
        "add_answer_to_trail",
        [.text, .timestamptz, .text, .text, .text, .text],
        """
        \(columns) WHERE NOT EXISTS (SELECT 1 FROM answer_audit WHERE key = $1)
            AND EXISTS (SELECT 1 FROM prompt_answers WHERE prompt_id = $5 AND answer_id = $6)
        """
    )

    static let page = Statement(
        "trail",
        [.int8, .int8],
        "SELECT id, at, entry, digest, link FROM answer_audit WHERE id > $1 ORDER BY id LIMIT $2"
    )
}

extension TrailEntry: PGParameter {
    func add(to parameters: inout Parameters) {
        key.add(to: &parameters)
        at.add(to: &parameters)
        sessionID.add(to: &parameters)
        TextBytes(bytes: text).add(to: &parameters)
    }
}

extension PostgresStore {
    /// Adds entries to the chain, in order. Entries whose key is known are skipped.
    func record(_ entries: [TrailEntry]) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            let calls = entries.map { (TrailStatements.add, Parameters(of: $0)) }
            _ = try connection.chained(calls)
        }
    }

    /// The entries after the one with this id, in the order of the chain.
    func trail(after id: Int64, limit: Int) async throws(PersistenceError) -> [TrailRecord] {
        try await run { connection throws(PersistenceError) in
            try connection.query(TrailStatements.page, Parameters(of: id, Int64(limit))).map {
                row throws(PersistenceError) in
                try row.make(TrailRecord.init)
            }
        }
    }
}

extension PQConnection {
    /// Runs the statements in one transaction. No other transaction that adds to the chain overlaps it.
    func chained(_ calls: [(Statement, Parameters)]) throws(PersistenceError) -> [PQResult] {
        do throws(PersistenceError) {
            let ends = [(TrailStatements.commit, Parameters())]
            let begins = [(TrailStatements.begin, Parameters()), (TrailStatements.lock, Parameters())]
            let results = try pipeline(begins + calls + ends)
            guard results.last?.commandTag == "COMMIT" else {
                throw PersistenceError(.malformedReply, "the transaction was rolled back by the server")
            }
            return Array(results.dropFirst(2).dropLast())
        } catch {
            if !error.isConnectionLost { _ = try? query(TrailStatements.rollback) }
            throw error
        }
    }
}
