internal import Audit
internal import EventModel
internal import JSON
internal import Persistence
package import Sessions

/// A hold with its prompt, as stored in the database.
package struct AttachedHold: Sendable {
    package var prompt: Prompt
    /// The body that the device sent, if a device has answered.
    package var answer: [UInt8]?
    package var isNew: Bool
}

/// A stored hold for which no hook waits any more.
struct LostHold: Sendable {
    var key: HoldKey
    var promptID: String
    /// When its hook last asked.
    var touchedAt: Timestamp
}

extension PostgresStore {
    /// Stores a waiting hook, if its prompt is open or a device has answered it. Returns `nil` if no event of the
    /// session asks for anything.
    func attach(
        _ hold: Hold,
        until: Timestamp,
        now: Timestamp
    ) async throws(PersistenceError) -> AttachedHold? {
        try await runProjected { connection throws(PersistenceError) in
            let found = Parameters(of: hold.requestID, hold.key.machine)
            guard let row = try connection.query(InteractionStatements.held, found).firstRow,
                let prompt = try Prompt(row: row, 1)
            else { return nil }
            let answer: [UInt8]? = try row.value(2)
            guard prompt.state == .open else { return AttachedHold(prompt: prompt, answer: answer, isNew: false) }
            let parameters = Parameters(
                of: hold.key.machine,
                hold.key.id,
                prompt.id,
                prompt.sessionID,
                until,
                now,
                hold.policy.words
            )
            let isNew = try connection.query(InteractionStatements.hold, parameters).firstValue() ?? false
            return AttachedHold(prompt: prompt, answer: answer, isNew: isNew)
        }
    }

    /// Nobody can answer through the hold any more. Its row stays until its end is logged.
    ///
    /// - Returns: the prompt of the hold, if the hold is known.
    func closeHold(_ key: HoldKey, now: Timestamp) async throws(PersistenceError) -> String? {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: key.machine, key.id, now)
            return try connection.query(InteractionStatements.closeHold, parameters).firstValue()
        }
    }

    func endHold(_ key: HoldKey) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            _ = try connection.query(InteractionStatements.endHold, Parameters(of: key.machine, key.id))
        }
    }

    /// The holds that have expired at `now`, the holds whose hooks have not asked since `alive`, and `expired`.
    func lostHolds(
        now: Timestamp,
        alive: Timestamp,
        expired: [HoldKey]
    ) async throws(PersistenceError) -> [LostHold] {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: now, alive, expired.map(\.machine.rawValue), expired.map(\.id))
            return try connection.query(InteractionStatements.lostHolds, parameters).rows
                .map { row throws(PersistenceError) in
                    let (machine, id, promptID, touchedAt): (MachineID, String, String, Timestamp) = try row.values()
                    return LostHold(key: HoldKey(machine: machine, id: id), promptID: promptID, touchedAt: touchedAt)
                }
        }
    }

    func drop(_ hold: LostHold) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: hold.key.machine, hold.key.id, hold.touchedAt)
            _ = try connection.query(InteractionStatements.dropLostHold, parameters)
        }
    }

    /// Returns the id of the prompt that a permission request belongs to.
    func promptID(of requestID: String, machine: MachineID) async throws(PersistenceError) -> String? {
        try await runProjected { connection throws(PersistenceError) in
            let parameters = Parameters(of: requestID, machine)
            return try connection.query(InteractionStatements.held, parameters).firstValue()
        }
    }

    /// Returns the requests whose events were in the log and have been erased.
    ///
    /// - Parameter ids: ids as `Prompt.id` derives them from event ids.
    func erasedRequests(among ids: [String]) async throws(PersistenceError) -> Set<String> {
        guard !ids.isEmpty else { return [] }
        return try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: ids)
            return Set(try connection.query(InteractionStatements.erasedRequests, parameters).values())
        }
    }

    func dropHolds(of prompts: [String]) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            _ = try connection.query(InteractionStatements.dropHolds, Parameters(of: prompts))
        }
    }

    /// Returns holds by prompt, except those last touched before `alive`.
    func holds(
        of prompts: [String],
        now: Timestamp,
        alive: Timestamp
    ) async throws(PersistenceError) -> [String: (until: Timestamp, policy: HoldPolicy)] {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: prompts, now, alive)
            var holds: [String: (until: Timestamp, policy: HoldPolicy)] = [:]
            for row in try connection.query(InteractionStatements.holds, parameters).rows {
                let (prompt, until, policy): (String, Timestamp, String) = try row.values()
                holds[prompt] = (until, HoldPolicy(policy))
            }
            return holds
        }
    }

    /// The stored payloads of the events at these positions.
    func payloads(at positions: [Int64]) async throws(PersistenceError) -> [Int64: [UInt8]] {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: positions)
            var payloads: [Int64: [UInt8]] = [:]
            for row in try connection.query(InteractionStatements.payloads, parameters).rows {
                payloads[try row.value()] = try row.value(1)
            }
            return payloads
        }
    }

    /// Returns the prompts that are closed.
    func closedPrompts(among ids: [String]) async throws(PersistenceError) -> [Prompt] {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: ids)
            let rows = try connection.query(InteractionStatements.closed, parameters)
            return try rows.map { row throws(PersistenceError) in try Prompt(row: row, 0) }.compactMap(\.self)
        }
    }
}

/// Answers. The changes are durable when these functions return.
extension PostgresStore {
    /// Returns `nil` if this answer is the first, otherwise the first answer.
    func answer(
        _ prompt: Prompt,
        with answer: PromptAnswer,
        body: [UInt8]
    ) async throws(PersistenceError) -> PromptAnswer? {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(
                of: prompt.id,
                answer.id,
                prompt.sessionID,
                prompt.machine,
                TextBytes(bytes: PromptAnswer.shape.json(answer)),
                TextBytes(bytes: body),
                answer.at
            )
            let entry = TrailEntry.answered(prompt, answer, isLate: false)
            let trail = Parameters(of: entry, prompt.id, answer.id)
            let results = try connection.chained([
                (InteractionStatements.answer, parameters), (InteractionStatements.auditAnswer, trail),
            ])
            if results.first?.affectedRows == 1 { return nil }
            let row = try connection.query(InteractionStatements.answerOf, Parameters(of: prompt.id)).firstRow
            guard let first = row.flatMap(PromptAnswer.init(stored:)) else {
                throw PersistenceError(.malformedReply, "an answer cannot be read")
            }
            return first
        }
    }

    /// The answer that counts, if a device has answered.
    func storedAnswer(of promptID: String) async throws(PersistenceError) -> PromptAnswer? {
        try await run { connection throws(PersistenceError) in
            let row = try connection.query(InteractionStatements.answerOf, Parameters(of: promptID)).firstRow
            return row.flatMap(PromptAnswer.init(stored:))
        }
    }

    /// The body that the device sent, if a device has answered and the body is still kept.
    func answerBody(of promptID: String) async throws(PersistenceError) -> [UInt8]? {
        try await run { connection throws(PersistenceError) in
            let rows = try connection.query(InteractionStatements.answerOf, Parameters(of: promptID))
            guard let row = rows.firstRow else { return nil }
            return try row.value(1)
        }
    }

    func markLogged(_ promptID: String) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            _ = try connection.query(InteractionStatements.logged, Parameters(of: promptID))
        }
    }

    func markDelivered(_ promptID: String, at time: Timestamp) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            _ = try connection.query(InteractionStatements.delivered, Parameters(of: promptID, time))
        }
    }

    /// Answers given before `time` that no event of the log records.
    func unloggedAnswers(before time: Timestamp) async throws(PersistenceError) -> [(
        prompt: String, answer: PromptAnswer
    )] {
        try await run { connection throws(PersistenceError) in
            var found: [(prompt: String, answer: PromptAnswer)] = []
            for row in try connection.query(InteractionStatements.unlogged, Parameters(of: time)).rows {
                let (prompt, stored): (String, [UInt8]) = try row.values()
                guard let json = try? JSONValue.parse(stored), let answer = PromptAnswer(stored: json)
                else { continue }
                found.append((prompt, answer))
            }
            return found
        }
    }

    /// Refusals that hooks received between the two times and that are not known to be applied, each with the body that
    /// the device sent.
    func takenRefusals(
        given: Timestamp,
        from: Timestamp,
        to: Timestamp
    ) async throws(PersistenceError) -> [(prompt: String, body: [UInt8])] {
        try await run { connection throws(PersistenceError) in
            let rows = try connection.query(InteractionStatements.takenRefusals, Parameters(of: given, from, to)).rows
            return try rows.map { row throws(PersistenceError) in (try row.value(), try row.value(1)) }
        }
    }

    /// The number of answers between the two times that are not known to be applied, and the time of the oldest one.
    func unappliedAnswers(
        from: Timestamp,
        to: Timestamp
    ) async throws(PersistenceError) -> (count: Int64, oldest: Timestamp?) {
        try await run { connection throws(PersistenceError) in
            let rows = try connection.query(InteractionStatements.unapplied, Parameters(of: from, to))
            guard let row = rows.firstRow else { return (0, nil) }
            return (try row.value(), try row.value(1))
        }
    }

    /// - Parameters:
    ///   - given: answers before this time lose their bodies.
    ///   - delivered: answers that were last sent to their hook before this time lose their bodies too.
    ///   - kept: answers and holds before this time are removed.
    func trimAnswers(given: Timestamp, delivered: Timestamp, kept: Timestamp) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            _ = try connection.query(InteractionStatements.trimBodies, Parameters(of: given, delivered))
            _ = try connection.query(InteractionStatements.trimAnswers, Parameters(of: kept))
            _ = try connection.query(InteractionStatements.trimHolds, Parameters(of: given))
        }
    }
}

extension PromptAnswer {
    fileprivate init?(stored row: PQRow) {
        guard let bytes: [UInt8] = try? row.value(), let json = try? JSONValue.parse(bytes) else { return nil }
        self.init(stored: json)
    }
}
