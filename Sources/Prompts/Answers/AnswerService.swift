package import API
internal import Audit
internal import EventModel
package import HTTPModel
package import JSON
internal import Persistence
package import Sessions
internal import Synchronization

/// Takes the answers of devices and the operator. `AnswerAttempt` and `AnswerRules` decide. May be used on any thread.
package struct AnswerService: Sendable {
    let holds: HoldService

    var log: PromptLog { holds.log }
    var reader: PromptReader { log.reader }
    var environment: PromptEnvironment { reader.environment }

    /// Takes an answer. When this returns, the log shows it as the prompt's first. If this throws 503, it may be the
    /// first: a repeated request with the same id finds out.
    package func answer(_ id: String, _ json: JSONValue, by responder: Responder) async throws(APIError) -> PromptRecord
    {
        let (body, now) = (try AnswerBody(json), environment.clock())
        let attempt = AnswerAttempt(body, by: responder.device, at: now, kept: environment.kept)
        // The hold is looked up first. If a person decides at the terminal, it is removed after the log shows that, so
        // an open prompt whose hold was not found is one that nobody waits for.
        let hold = reader.hooks.hold(of: id)
        let policy = if let hold { hold.policy } else { try await storedPolicy(of: id) }
        guard let record = try await reader.record(id) else { throw .promptNotFound }
        try responder.require(on: record.prompt.machine)
        guard record.prompt.state == .open else { return try await settle(attempt, in: record) }
        guard let policy else { throw record.prompt.kind == .input ? .waitsForMessage : .notAnswerable }
        let (decision, answer) = try attempt.judged(by: try await rules(for: record.prompt, hold, policy, responder))
        if decision.decision == .allow {
            let call = record.prompt.toolUseID
            let caller = try await environment.callers([call])[call]
            guard caller?.principal != responder.principal.auditName else { throw .ownCall }
        }
        let kept = try await environment.database.use { store throws(PersistenceError) in
            try await store.keep(answer, to: record.prompt, body: attempt.sent)
        }
        guard let kept else { throw .mayNoLongerAnswer }
        if kept.isNew, let hold { reader.hooks.table.withLock { $0.note(decision, for: answer, of: hold.key) } }
        if let error = await environment.commit(PromptEvents.answered(kept.answer, of: record, hold)) { throw error }
        guard let closed = try await reader.record(id), closed.prompt.state != .open else {
            throw .databaseUnavailable(retryAfter: 1)
        }
        holds.closed(closed.prompt)
        if kept.isNew, closed.prompt.answer?.id == answer.id { reader.hooks.counts.withLock { $0.answers += 1 } }
        return try await settle(attempt, in: closed)
    }

    /// Records that the prompt was shown on a device.
    package func seen(_ id: String, by responder: Responder) async throws(APIError) {
        try responder.requirePerson()
        guard let record = try await reader.record(id) else { throw .promptNotFound }
        let device = responder.device?.id
        guard !record.prompt.steps.contains(where: { $0.name == "seen" && $0.deviceID == device }) else { return }
        await log.add(.seen, of: id, key: device ?? "operator", deviceID: device)
    }

    /// Responds to an answer by what the log says of the prompt, which is closed. A late answer is kept.
    private func settle(_ attempt: AnswerAttempt, in record: PromptRecord) async throws(APIError) -> PromptRecord {
        switch attempt.outcome(in: record.prompt) {
        case .first:
            await environment.trail.keep(TrailEntry.closing(record.prompt))
            return await reader.completed(record)
        case .late(let answer, let error, let isKnown):
            reader.hooks.counts.withLock { $0.lateAnswers += 1 }
            await environment.trail.keep([TrailEntry.answered(record.prompt, answer, isLate: true)])
            if !isKnown { _ = await environment.submit([PromptEvents.late(answer, of: record)]) }
            throw error
        }
    }

    /// What the answer to an open prompt is judged by.
    private func rules(
        for prompt: Prompt,
        _ hold: Hold?,
        _ policy: HoldPolicy,
        _ responder: Responder
    ) async throws(APIError) -> AnswerRules {
        let isRevealed = prompt.isRevealed(to: responder.device?.id)
        if let hold { return AnswerRules(prompt, hold, isRevealed: isRevealed) }
        // Another server has the hold, or this server has just started. The stored input may be masked and cut. The
        // server that gets the hook's next request judges the answer by the whole input.
        let asked = try await environment.database.use { store throws(PersistenceError) in
            try await store.event(id: prompt.requestedBy ?? prompt.openedBy)
        }
        let payload = asked?.event.payload ?? []
        let content = PromptContent(hook: payload, maximumBytes: .max)
        return AnswerRules(
            kind: prompt.kind,
            hook: (try? JSONValue.parse(payload)) ?? .object([]),
            policy: policy,
            isWhole: !content.isTruncated && !StoredContent.isCut(payload),
            hasUnseen: !isRevealed && asked?.event.facts.shownWhole.contains(.payload) != true
        )
    }

    /// What the machine's file allows, as long as a hook waits on another server or may come back to this one.
    private func storedPolicy(of promptID: String) async throws(APIError) -> HoldPolicy? {
        let (now, alive) = (environment.clock(), environment.aliveSince)
        return try await environment.database.use { store throws(PersistenceError) in
            try await store.holds(of: [promptID], now: now, alive: alive)[promptID]?.policy
        }
    }
}

extension AnswerRules {
    init(_ prompt: Prompt, _ hold: Hold, isRevealed: Bool) {
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
