internal import Audit
internal import EventModel
package import HTTPModel
package import JSON
internal import Logging
internal import Persistence
package import Sessions
internal import Synchronization

extension InteractionService {
    /// Accepts an answer. The first answer to a prompt counts. It is durable when this function returns.
    package func answer(_ id: String, _ json: JSONValue, by responder: Responder) async throws(APIError) -> PromptRecord
    {
        let body = try AnswerBody(json)
        guard let record = try await record(id) else { throw .promptNotFound }
        try responder.require(on: record.prompt.machine)
        let now = environment.clock()
        if record.prompt.state != .open { return try await answerLate(record, body, responder, now) }
        let decision: HookDecision
        do throws(APIError) {
            decision = try await self.decision(on: record, body, responder)
        } catch {
            guard error.code == APIError.notAnswerable.code else { throw error }
            // The hook may have stopped waiting just now, and the log may not show yet that the terminal answered.
            try? await Task.sleep(for: .milliseconds(300))
            guard let later = try await self.record(id), later.prompt.state != .open else { throw error }
            return try await answerLate(later, body, responder, now)
        }
        var answer = PromptAnswer(body, decision.decision, decision.scope, responder, at: now)
        answer.said = body.said.flatMap(environment.kept)?.cut(to: PromptAnswer.maximumSaidBytes)
        var writer = JSONWriter()
        writer.value(body.json)
        let sent = writer.bytes
        let first = try await environment.database.use { store throws(PersistenceError) in
            try await store.answer(record.prompt, with: answer, body: sent)
        }
        if let first {
            guard first.id == answer.id, first.deviceID == answer.deviceID else {
                await logLate(answer, of: record)
                throw .alreadyAnswered(first)
            }
        }
        if first == nil { counts.withLock { $0.answers += 1 } }
        // The answer must be in the log before anything that the session does with it. If the log cannot store it now,
        // the answer is delivered after it is logged.
        let isLogged = await log(first ?? answer, of: record)
        if first == nil, isLogged { await deliver(sent, of: record.prompt) }
        // The answer is stored and counts. If the database is away now, the reply shows what was read before.
        var changed = (try? await self.record(id)) ?? record
        changed.prompt = changed.prompt.showing(first ?? answer, of: record)
        // The terminal may have answered in the meantime.
        if changed.prompt.state != .open, changed.prompt.answer?.id != (first ?? answer).id {
            throw .over(changed.prompt)
        }
        return await completed([changed])[0]
    }

    /// Records that the prompt was shown on a device.
    package func seen(_ id: String, by responder: Responder) async throws(APIError) {
        guard let record = try await record(id) else { throw .promptNotFound }
        let device = responder.device?.id
        guard !record.prompt.steps.contains(where: { $0.name == "seen" && $0.deviceID == device }) else { return }
        await log(.seen, of: id, key: device ?? "operator", deviceID: device)
    }

    /// Handles an answer to a closed prompt. The answer is kept, unless it repeats the one that counts.
    private func answerLate(
        _ record: PromptRecord,
        _ body: AnswerBody,
        _ responder: Responder,
        _ now: Timestamp
    ) async throws(APIError) -> PromptRecord {
        if let first = record.prompt.answer, let id = body.answerID, first.id == id,
            first.deviceID == responder.device?.id
        {
            return await completed([record])[0]
        }
        let refusal = APIError.over(record.prompt)
        let decision = body.decision ?? (body.answers != nil || body.action == "accept" ? .allow : .deny)
        let scope: PromptAnswer.Scope? = decision == .allow ? .once : nil
        await logLate(PromptAnswer(body, decision, scope, responder, at: now), of: record)
        throw refusal
    }

    private func logLate(_ answer: PromptAnswer, of record: PromptRecord) async {
        counts.withLock { $0.lateAnswers += 1 }
        await keepTrail([TrailEntry.answered(record.prompt, answer, isLate: true)])
        _ = await environment.submit([
            PromptEvents.update(record, .late, key: answer.id, at: answer.at, deviceID: answer.deviceID, answer: answer)
        ])
    }

    /// Checks the answer against the hook's request.
    private func decision(
        on record: PromptRecord,
        _ body: AnswerBody,
        _ responder: Responder
    ) async throws(APIError) -> HookDecision {
        let prompt = record.prompt
        let rules: AnswerRules
        let policy: HoldPolicy
        let isRevealed = prompt.isRevealed(to: responder.device?.id)
        if let hold = table.withLock({ $0.hold(of: prompt.id) }) {
            policy = hold.policy
            rules = AnswerRules(prompt, hold, isRevealed: isRevealed)
        } else {
            // Another server has the hold, or this server has just started. The stored input may be masked and cut. The
            // server that gets the hook's next request checks the answer again, with the whole input.
            guard let held = try await storedHold(of: prompt) else {
                throw prompt.kind == .input ? .waitsForMessage : .notAnswerable
            }
            policy = held.policy
            let asked = try await storedRequest(of: prompt)
            let payload = asked?.event.payload ?? []
            let content = PromptContent(hook: payload, maximumBytes: .max)
            rules = AnswerRules(
                kind: prompt.kind,
                hook: (try? JSONValue.parse(payload)) ?? .object([]),
                policy: policy,
                isWhole: !content.isTruncated && !StoredContent.isCut(payload),
                hasUnseen: !isRevealed && asked?.event.facts.shownWhole.contains(.payload) != true
            )
        }
        guard policy.allows(device: responder.device?.id) else {
            throw .otherDevicesOnly
        }
        return try rules.decision(for: body)
    }

    private func storedHold(of prompt: Prompt) async throws(APIError) -> (until: Timestamp, policy: HoldPolicy)? {
        let now = environment.clock()
        let alive = now.adding(seconds: -InteractionService.aliveSeconds)
        return try await environment.database.use { store throws(PersistenceError) in
            try await store.holds(of: [prompt.id], now: now, alive: alive)[prompt.id]
        }
    }

    /// The permission request as the log has it.
    private func storedRequest(of prompt: Prompt) async throws(APIError) -> CommittedEvent? {
        let asked = prompt.requestedBy ?? prompt.openedBy
        return try await environment.database.use { store throws(PersistenceError) in
            try await store.event(id: asked)
        }
    }

    /// Adds the answer's event. Returns false if the log cannot take it now.
    @discardableResult
    func log(_ answer: PromptAnswer, of record: PromptRecord) async -> Bool {
        var events = [PromptEvents.answer(answer, of: record)]
        // A fast answer can overtake the event of the previous step. Both writers give that event the same id.
        if !record.prompt.wasHeld, let hold = table.withLock({ $0.hold(of: record.prompt.id) }) {
            let held = PromptEvents.update(record, .held, key: hold.key.id, at: answer.at, risk: hold.policy.risk)
            events.insert(held, at: 0)
        }
        guard await environment.submit(events) else { return false }
        try? await environment.database.use { store throws(PersistenceError) in
            try await store.markLogged(record.prompt.id)
        }
        return true
    }

    /// Logs an answer that a stopped server left without its event. What the session does with the answer must come
    /// after the event. Returns false if the log does not have the event yet.
    func logStoredAnswer(of id: String) async -> Bool {
        let answer = try? await environment.database.use { store throws(PersistenceError) in
            try await store.storedAnswer(of: id)
        }
        guard let answer, let record = try? await record(id) else { return false }
        return await log(answer, of: record)
    }

    /// Reads the answer and sends it to the waiting hooks.
    func redeliver(_ prompt: Prompt) async {
        let body = try? await environment.database.use { store throws(PersistenceError) in
            try await store.answerBody(of: prompt.id)
        }
        if let body { await deliver(body, of: prompt) }
    }

    /// Sends the answer to the hooks that wait for the prompt on this server.
    func deliver(_ body: [UInt8], of prompt: Prompt) async {
        let now = environment.steadyClock()
        let waiting = table.withLock { $0.takeReplies(of: prompt.id, now: now) }
        for (hold, reply) in waiting { reply(answer(body, of: prompt, to: hold)) }
        guard !waiting.isEmpty else { return }
        let time = environment.clock()
        try? await environment.database.use { store throws(PersistenceError) in
            try await store.markDelivered(prompt.id, at: time)
        }
        if AnswerBody.isInterrupt(body) { interruptionTaken() }
    }

    private func answer(_ body: [UInt8], of prompt: Prompt, to hold: Hold) -> HoldAnswer {
        do {
            let body = try AnswerBody(try JSONValue.parse(body))
            // What the device has seen was checked when the answer was taken.
            return .output(try AnswerRules(prompt, hold, isRevealed: true).decision(for: body).output)
        } catch {
            counts.withLock { $0.unfitAnswers += 1 }
            environment.logger.warning(
                "an answer does not fit what the hook asks",
                metadata: ["prompt": "\(prompt.id)"]
            )
            return .askLocally
        }
    }
}

extension AnswerRules {
    fileprivate init(_ prompt: Prompt, _ hold: Hold, isRevealed: Bool) {
        self.init(
            kind: prompt.kind,
            hook: hold.content.hook,
            shown: hold.content.maskedHook,
            policy: hold.policy,
            isWhole: hold.content.isWhole,
            hasUnseen: !isRevealed && !hold.content.maskedMembers.isEmpty
        )
    }
}

extension Prompt {
    /// The prompt with this answer, if it is still open.
    fileprivate func showing(_ answer: PromptAnswer, of record: PromptRecord) -> Prompt {
        guard state == .open else { return self }
        let event = PromptEvents.answer(answer, of: record)
        return PromptUpdate(CommittedEvent(seq: 0, event: event, workspaceID: nil))?.applied(to: self) ?? self
    }
}

extension PromptAnswer {
    /// - Parameter scope: the scope if the body names none.
    fileprivate init(
        _ body: AnswerBody,
        _ decision: Prompt.Decision,
        _ scope: Scope?,
        _ responder: Responder,
        at time: Timestamp
    ) {
        var random = SystemRandomNumberGenerator()
        self.init(
            id: body.answerID ?? EventID.version7(at: time, using: &random).description,
            decision: decision,
            scope: body.scope ?? scope,
            answerer: responder.device == nil ? .operator : .device,
            deviceID: responder.device?.id,
            name: responder.device?.name,
            at: time
        )
    }
}

extension APIError {
    static let promptNotFound = APIError.notFound("prompt_not_found", "There is no prompt of that id.")

    static let notAnswerable = APIError(
        .conflict,
        status: 409,
        code: "not_answerable",
        message: "No hook waits for an answer to this prompt any more. Answer at the terminal."
    )

    static let waitsForMessage = APIError(
        .conflict,
        status: 409,
        code: "not_answerable",
        message: "The session waits for a message: POST /v1/sessions/{id}/input."
    )

    static func alreadyAnswered(_ first: PromptAnswer) -> APIError {
        answered(by: first.name ?? first.answerer.rawValue, first.decision, at: first.at)
    }

    /// The error for a prompt that was closed before the answer arrived.
    static func over(_ prompt: Prompt) -> APIError {
        guard prompt.state == .answered else {
            return APIError(
                .conflict,
                status: 410,
                code: "prompt_gone",
                message: "The session no longer waits for this: the prompt is \(prompt.state.rawValue)."
            )
        }
        let who = prompt.answer?.name ?? (prompt.answeredBy ?? .terminal).rawValue
        return answered(by: who, prompt.decision, at: prompt.closedAt)
    }

    private static func answered(by who: String, _ decision: Prompt.Decision?, at time: Timestamp?) -> APIError {
        let what = decision.map { " (\($0.rawValue))" } ?? ""
        let when = time.map { " at \($0)" } ?? ""
        return APIError(
            .conflict,
            status: 409,
            code: "already_answered",
            message: "The prompt was answered by \(who)\(what)\(when). Your answer was kept, and not applied."
        )
    }
}
