internal import EventModel
internal import JSON
internal import Persistence
package import Sessions

/// A hold with its prompt, as stored in the database.
package struct AttachedHold: Sendable {
    package var prompt: Prompt
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
    /// Stores a waiting hook, if its prompt is open. Returns `nil` if no event of the session asks for anything.
    func attach(
        _ hold: Hold,
        until: Timestamp,
        now: Timestamp
    ) async throws(PersistenceError) -> AttachedHold? {
        try await runProjected { connection throws(PersistenceError) in
            let found = Parameters(of: hold.requestID, hold.key.machine)
            guard let row = try connection.query(AnswerStatements.held, found).firstRow,
                let prompt = try Prompt(row: row, 1)
            else { return nil }
            guard prompt.state == .open else { return AttachedHold(prompt: prompt, isNew: false) }
            let parameters = Parameters(
                of: hold.key.machine,
                hold.key.id,
                prompt.id,
                prompt.sessionID,
                until,
                now,
                hold.policy.words
            )
            let isNew = try connection.query(AnswerStatements.hold, parameters).firstValue() ?? false
            return AttachedHold(prompt: prompt, isNew: isNew)
        }
    }

    /// Nobody can answer through the hold after `now`. Its row stays until its end is logged.
    ///
    /// - Parameter now: `nil` leaves the hold as it is.
    /// - Returns: the prompt of the hold, if the hold is known.
    func closeHold(_ key: HoldKey, now: Timestamp?) async throws(PersistenceError) -> String? {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: key.machine, key.id, now)
            return try connection.query(AnswerStatements.closeHold, parameters).firstValue()
        }
    }

    /// Whether any server has heard of the hold's caller after this time.
    func isTouched(_ key: HoldKey, after time: Timestamp) async throws(PersistenceError) -> Bool {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: key.machine, key.id, time)
            return try connection.query(AnswerStatements.isHoldTouched, parameters).firstValue() ?? false
        }
    }

    func endHold(_ key: HoldKey) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            _ = try connection.query(AnswerStatements.endHold, Parameters(of: key.machine, key.id))
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
            return try connection.query(AnswerStatements.lostHolds, parameters).rows
                .map { row throws(PersistenceError) in
                    let (machine, id, promptID, touchedAt): (MachineID, String, String, Timestamp) = try row.values()
                    return LostHold(key: HoldKey(machine: machine, id: id), promptID: promptID, touchedAt: touchedAt)
                }
        }
    }

    func drop(_ hold: LostHold) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: hold.key.machine, hold.key.id, hold.touchedAt)
            _ = try connection.query(AnswerStatements.dropLostHold, parameters)
        }
    }

    /// Returns the id of the prompt that a permission request belongs to.
    func promptID(of requestID: String, machine: MachineID) async throws(PersistenceError) -> String? {
        try await runProjected { connection throws(PersistenceError) in
            let parameters = Parameters(of: requestID, machine)
            return try connection.query(AnswerStatements.held, parameters).firstValue()
        }
    }

    /// The prompt that a program's request opened or joined, or else the one of its call.
    func prompt(askedBy request: AskedRequest) async throws(PersistenceError) -> Prompt? {
        try await runProjected { connection throws(PersistenceError) in
            let machine = request.key.machine
            let own = Parameters(of: Prompt.id(request.eventID), machine)
            if let row = try connection.query(AnswerStatements.held, own).firstRow { return try Prompt(row: row, 1) }
            let call = Parameters(of: request.session, machine, request.call)
            guard let row = try connection.query(AnswerStatements.ofCall, call).firstRow else { return nil }
            return try Prompt(row: row, 0)
        }
    }

    /// Returns the requests whose events were in the log and have been erased.
    ///
    /// - Parameter ids: ids as `Prompt.id` derives them from event ids.
    func erasedRequests(among ids: [String]) async throws(PersistenceError) -> Set<String> {
        guard !ids.isEmpty else { return [] }
        return try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: ids)
            return Set(try connection.query(AnswerStatements.erasedRequests, parameters).values())
        }
    }

    func dropHolds(of prompts: [String]) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            _ = try connection.query(AnswerStatements.dropHolds, Parameters(of: prompts))
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
            for row in try connection.query(AnswerStatements.holds, parameters).rows {
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
            for row in try connection.query(AnswerStatements.payloads, parameters).rows {
                payloads[try row.value()] = try row.value(1)
            }
            return payloads
        }
    }

    /// Returns the prompts that are closed.
    func closedPrompts(among ids: [String]) async throws(PersistenceError) -> [Prompt] {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: ids)
            let rows = try connection.query(AnswerStatements.closed, parameters)
            return try rows.map { row throws(PersistenceError) in try Prompt(row: row, 0) }.compactMap(\.self)
        }
    }
}

/// Answers. The changes are durable when these functions return.
extension PostgresStore {
    /// Keeps what a device sent, under the id of its answer. Whether the answer is the first, the log decides.
    ///
    /// - Returns: the answer that has the id, and whether it is this one; `nil` if the device may no longer answer.
    func keep(
        _ answer: PromptAnswer,
        to prompt: Prompt,
        body: [UInt8]
    ) async throws(PersistenceError) -> (answer: PromptAnswer, isNew: Bool)? {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(
                of: prompt.id,
                answer.id,
                answer.responderID,
                prompt.sessionID,
                prompt.machine,
                TextBytes(bytes: PromptAnswer.shape.json(answer)),
                TextBytes(bytes: body),
                answer.at,
                answer.deviceID.map { Int64($0) ?? 0 }
            )
            guard let row = try connection.query(AnswerStatements.keepAnswer, parameters).firstRow else { return nil }
            guard let json = try? JSONValue.parse(try row.value() as [UInt8]), let kept = PromptAnswer(stored: json)
            else { throw PersistenceError(.malformedReply, "an answer cannot be read") }
            return (kept, try row.value(1))
        }
    }

    /// What the device sent as this answer; `nil` if it is no longer kept.
    func body(of answer: PromptAnswer, to promptID: String) async throws(PersistenceError) -> [UInt8]? {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: promptID, answer.id, answer.responderID)
            return try connection.query(AnswerStatements.answerBody, parameters).firstRow?.value()
        }
    }

    func markDelivered(
        _ answer: PromptAnswer,
        to promptID: String,
        at time: Timestamp
    ) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: promptID, answer.id, answer.responderID, time)
            _ = try connection.query(AnswerStatements.delivered, parameters)
        }
    }

    /// The prompts whose hooks received a refusal that ends the turn, between the two times, if it is not known to be
    /// applied.
    func takenInterruptions(
        given: Timestamp,
        from: Timestamp,
        to: Timestamp
    ) async throws(PersistenceError) -> [String] {
        try await run { connection throws(PersistenceError) in
            try connection.query(AnswerStatements.interruptions, Parameters(of: given, from, to)).values()
        }
    }

    /// The number of answers between the two times that are not known to be applied, and the time of the oldest one.
    func unappliedAnswers(
        from: Timestamp,
        to: Timestamp
    ) async throws(PersistenceError) -> (count: Int64, oldest: Timestamp?) {
        try await run { connection throws(PersistenceError) in
            let rows = try connection.query(AnswerStatements.unapplied, Parameters(of: from, to))
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
            _ = try connection.query(AnswerStatements.trimBodies, Parameters(of: given, delivered))
            _ = try connection.query(AnswerStatements.trimAnswers, Parameters(of: kept))
            _ = try connection.query(AnswerStatements.trimHolds, Parameters(of: given))
        }
    }
}

extension PromptAnswer {
    /// With the answer's id, the key of its body: devices choose the ids of their answers.
    fileprivate var responderID: String { deviceID ?? "operator" }
}
