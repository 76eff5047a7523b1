internal import EventModel
internal import HTTPModel
internal import JSON
internal import Logging
internal import Persistence
internal import Sessions
internal import Synchronization

/// The ends of waits.
extension HoldService {
    /// Ends the wait of the hooks of a prompt that is closed. Sends them the device's answer, if the log shows that one
    /// was the first.
    func closed(_ prompt: Prompt) {
        guard let answer = prompt.answer else { return release(prompt.id) }
        let isHeld = hooks.table.withLock { $0.hold(of: prompt.id) != nil }
        if isHeld { Task { [self] in await deliver(answer, of: prompt) } }
    }

    func release(_ promptID: String) {
        let removed = hooks.table.withLock { $0.removeAll(of: promptID) }
        for (_, reply) in removed { reply?(.askLocally) }
        guard !removed.isEmpty else { return }
        Task { [environment] in
            try? await environment.database.use { store throws(PersistenceError) in
                try await store.dropHolds(of: [promptID])
            }
        }
    }

    /// Ends holds whose time is over. Call about once a second.
    package func tick() {
        let now = environment.steadyClock()
        let over = hooks.table.withLock { $0.expire(now: now) }
        for (_, reply) in over { reply?(.askLocally) }
        guard !over.isEmpty else { return }
        Task { [self] in await endLostHolds(expired: over.map(\.0)) }
    }

    /// If another server leads the projection, its changes are visible only in the database.
    func releaseClosed() async {
        let held = hooks.table.withLock { $0.awaitedPrompts }
        guard !held.isEmpty else { return }
        let closed = try? await environment.database.use { store throws(PersistenceError) in
            try await store.closedPrompts(among: held)
        }
        for prompt in closed ?? [] { self.closed(prompt) }
    }

    /// Ends the holds whose prompts or events were deleted from the database, and removes their content from memory.
    func forgetErased() async {
        let (held, unbound) = hooks.table.withLock { ($0.boundPrompts, $0.unboundRequests) }
        guard !held.isEmpty || !unbound.isEmpty else { return }
        let found = try? await environment.database.use { store throws(PersistenceError) in
            (try await store.prompts(ids: held), try await store.erasedRequests(among: Array(unbound.values)))
        }
        guard let (known, erasedRequests) = found else { return hooks.work.need { $0.erasure = true } }
        for id in Set(held).subtracting(known.map(\.prompt.id)) { release(id) }
        for (key, requestID) in unbound where erasedRequests.contains(requestID) { reply(key, .askLocally) }
    }

    /// Sends the answer to the hooks that wait for the prompt on this server. The log shows the answer as the first.
    func deliver(_ answer: PromptAnswer, of prompt: Prompt) async {
        let now = environment.steadyClock()
        let waiting = hooks.table.withLock { $0.takeReplies(of: prompt.id, for: answer, now: now) }
        guard !waiting.isEmpty else { return }
        var sent: AnswerBody?
        if waiting.contains(where: { $0.decision == nil }) {
            do throws(APIError) {
                sent = try await body(of: answer, to: prompt)
            } catch {
                for one in waiting { one.reply(.again) }
                return
            }
        }
        let decisions = waiting.map { $0.decision ?? decision(sent, of: prompt, for: $0.hold) }
        // No event shows that a hook received a refusal that ends the turn. So the delivery is stored first, in case
        // the server dies after it.
        let endsTurn = decisions.contains { $0?.isInterrupt ?? false }
        if endsTurn { await markDelivered(answer, of: prompt) }
        for (one, decision) in zip(waiting, decisions) { one.reply(decision.map { .output($0.output) } ?? .askLocally) }
        guard endsTurn else { return await markDelivered(answer, of: prompt) }
        let interruptionAt = environment.steadyClock().adding(seconds: PromptLog.interruptionSeconds)
        hooks.work.need { $0.interruptionAt = interruptionAt }
    }

    private func markDelivered(_ answer: PromptAnswer, of prompt: Prompt) async {
        let time = environment.clock()
        try? await environment.database.use { store throws(PersistenceError) in
            try await store.markDelivered(answer, to: prompt.id, at: time)
        }
    }

    /// The decision of an answer that was not judged by the hold's content: the server was restarted, or the answer
    /// came to another server. What the device has seen was checked when it came.
    ///
    /// - Returns: `nil` if the answer does not fit, or its body is no longer kept.
    private func decision(_ sent: AnswerBody?, of prompt: Prompt, for hold: Hold) -> HookDecision? {
        guard let sent else { return nil }
        if let decision = try? AnswerRules(prompt, hold, isRevealed: true).decision(for: sent) { return decision }
        hooks.counts.withLock { $0.unfitAnswers += 1 }
        environment.logger.warning("an answer does not fit what the hook asks", metadata: ["prompt": "\(prompt.id)"])
        return nil
    }

    func body(of answer: PromptAnswer, to prompt: Prompt) async throws(APIError) -> AnswerBody? {
        let body = try await environment.database.use { store throws(PersistenceError) in
            try await store.body(of: answer, to: prompt.id)
        }
        return body.flatMap { try? AnswerBody(JSONValue.parse($0)) }
    }
}
