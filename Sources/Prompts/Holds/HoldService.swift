package import EventModel
internal import HTTPModel
internal import Logging
internal import Persistence
package import Sessions
internal import Synchronization

/// One request of a waiting hook.
package struct HoldPoll: Sendable {
    package var request: HoldRequest
    /// The hook's own event.
    package var eventID: EventID
    package var machine: MachineID
    package var content: HeldContent
    /// Whether the event is in the log. If it is not, the database is unavailable, and no prompt can be found yet.
    package var isCommitted: Bool

    package init(
        request: HoldRequest,
        eventID: EventID,
        machine: MachineID,
        content: HeldContent,
        isCommitted: Bool
    ) {
        (self.request, self.eventID, self.machine) = (request, eventID, machine)
        (self.content, self.isCommitted) = (content, isCommitted)
    }

    var key: HoldKey { HoldKey(machine: machine, id: request.id) }
}

/// Keeps the hooks that wait on this server, and answers them. `HoldTable` decides. May be used on any thread.
package struct HoldService: Sendable {
    /// The number of seconds within which the end of a hold is logged, unless its server is stopped.
    private static let endingSeconds = 5.0

    let log: PromptLog

    var reader: PromptReader { log.reader }
    var environment: PromptEnvironment { reader.environment }
    var hooks: WaitingHooks { reader.hooks }

    /// Whether the hook waits on this server.
    package func holds(_ key: HoldKey) -> Bool { hooks.table.withLock { $0[key] != nil } }

    /// Handles a request of a waiting hook.
    ///
    /// - Parameter reply: called once, on any thread, unless `pollEnded` ends the request first.
    /// - Returns: the number of the poll, or `nil` if it is answered at once.
    package func poll(_ poll: HoldPoll, reply: @escaping @Sendable (HoldAnswer) -> Void) -> UInt64? {
        guard !poll.request.hasTerminal || environment.isAnyoneAllowed(poll.machine) else {
            reply(.askLocally)
            return nil
        }
        let hold = Hold(
            key: poll.key,
            requestID: Prompt.id(poll.eventID),
            policy: poll.request.policy,
            content: poll.content,
            until: environment.steadyClock().adding(seconds: poll.request.seconds)
        )
        switch hooks.table.withLock({ $0.open(hold, reply: reply) }) {
        case .full:
            hooks.counts.withLock { $0.refusedHolds += 1 }
            environment.logger.warning("too many hooks wait for an answer")
            reply(.askLocally)
            return nil
        case .waiting(let number, let replaced):
            replaced?(.again)
            if poll.isCommitted {
                QueryOwner.$current.withValue(.machine(poll.machine)) {
                    _ = Task { [self] in await attach(hold, isCommitted: true) }
                }
            }
            return number
        }
    }

    /// Records that a request ended without an answer, because its time is over or its connection is lost.
    ///
    /// - Parameter isOver: the hook cannot ask again. Why its connection ended is not known: a proxy or the network may
    ///   have cut it, so this is nobody's decision.
    package func pollEnded(_ key: HoldKey, _ number: UInt64, isOver: Bool = false) {
        let now = environment.steadyClock()
        let isCurrent = hooks.table.withLock { $0.pollEnded(key, number, now: now) } != nil
        if isCurrent, isOver { Task { [self] in await end(key, .released) } }
    }

    /// Finds the prompts of hooks whose events were spooled, once the database has them.
    func attachUnbound() async {
        for hold in hooks.table.withLock({ $0.unbound }) { await attach(hold, isCommitted: false) }
    }

    /// Finds the prompt of the hold. If the prompt is already answered, the hook gets the answer.
    private func attach(_ hold: Hold, isCommitted: Bool) async {
        let now = environment.clock()
        let until = now.adding(seconds: max(0, hold.until.seconds(since: environment.steadyClock())))
        let found: AttachedHold?
        do throws(APIError) {
            found = try await environment.database.use { store throws(PersistenceError) in
                try await store.attach(hold, until: until, now: now)
            }
        } catch {
            // The hook asks again.
            return environment.logger.debug("hold not attached", metadata: ["error": "\(error.code)"])
        }
        guard let found else { return isCommitted ? reply(hold.key, .askLocally) : () }
        hooks.table.withLock { $0.bind(hold.key, to: found.prompt.id) }
        guard found.prompt.state == .open else { return closed(found.prompt) }
        // A stored hold without its event was left by a server that stopped in between. Its event is logged too.
        guard found.isNew || !found.prompt.isHeld else { return }
        // The same hook may wait again after its hold was given up.
        let key = found.prompt.isReleased ? momentKey(hold.key.id) : hold.key.id
        await log.add(.held, of: found.prompt.id, key: key, risk: hold.policy.risk)
    }

    /// Reports to clients that nobody can answer any more, and then deletes the holds. These are the expired holds of
    /// this server, and the holds that no server has any more because their server was stopped. The next call retries
    /// whatever fails.
    func endLostHolds(expired: [Hold] = []) async {
        let (now, alive) = (environment.clock(), environment.aliveSince)
        do throws(APIError) {
            let lost = try await environment.database.use { store throws(PersistenceError) in
                let over = now.adding(seconds: -HoldService.endingSeconds)
                return try await store.lostHolds(now: over, alive: alive, expired: expired.map(\.key))
            }
            // Stops at the first failure: each read of a database that is behind waits for seconds.
            for hold in lost where try await logRelease(of: hold) {
                try await environment.database.use { store throws(PersistenceError) in try await store.drop(hold) }
            }
        } catch {
            environment.logger.debug("lost holds not ended", metadata: ["error": "\(error.code)"])
        }
    }

    /// Two servers may find the same hold. Both give the event the same id, so the log has it once. A hold whose server
    /// stopped before it logged `held` is reported too: clients may have read that the prompt is answerable.
    ///
    /// - Returns: false if the log does not have the event yet.
    private func logRelease(of hold: LostHold) async throws(APIError) -> Bool {
        guard let found = try await reader.record(hold.promptID), found.prompt.state == .open,
            !found.prompt.isReleased,
            hooks.table.withLock({ $0.hold(of: hold.promptID) }) == nil
        else { return true }
        return await log.add(.released, of: found, key: "\(hold.key.id):\(hold.touchedAt.microseconds)")
    }

    /// Returns the key for the event of a step that may occur several times.
    private func momentKey(_ holdID: String) -> String { "\(holdID):\(environment.clock().microseconds)" }

    func reply(_ key: HoldKey, _ answer: HoldAnswer) {
        hooks.table.withLock { $0.remove(key) }?.reply?(answer)
    }

    /// Records that the hook no longer waits.
    ///
    /// - Parameters:
    ///   - step: `withdrawn` if a person refused at the terminal, `dismissed` if a person answered there, `gone` if
    ///     Claude Code has ended, `expired` if the machine's own rule denied, `released` otherwise.
    ///   - event: the hook's own event, used to find the prompt after its hold was released.
    package func end(_ key: HoldKey, _ step: PromptUpdate.Step, event: EventID? = nil) async {
        let now = environment.steadyClock()
        let (hold, reply) = hooks.table.withLock { ($0[key], $0.takeReply(key, now: now)) }
        reply?(.askLocally)
        // The log decides whether a person at the terminal or a device was first. Until then, the device's answer must
        // find the hold.
        if step == .released { self.reply(key, .askLocally) }
        await logEnd(of: key, hold, step, event)
        self.reply(key, .askLocally)
    }

    private func logEnd(of key: HoldKey, _ hold: Hold?, _ step: PromptUpdate.Step, _ event: EventID?) async {
        let requestID = hold?.requestID ?? event.map(Prompt.id)
        let now = environment.clock()
        do throws(APIError) {
            let promptID: String? = try await environment.database.use { store throws(PersistenceError) in
                let stored = try await store.closeHold(key, now: step == .released ? now : nil)
                if let known = hold?.promptID ?? stored { return known }
                guard let requestID else { return nil }
                return try await store.promptID(of: requestID, machine: key.machine)
            }
            // If this stops in between, the sweep finds the row and reports the end.
            if let promptID, let found = try await reader.record(promptID),
                step != .released || !found.prompt.isReleased
            {
                guard await log.add(step, of: found, key: key.id) else {
                    return try await environment.database.use { store throws(PersistenceError) in
                        _ = try await store.closeHold(key, now: now)
                    }
                }
            }
            try await environment.database.use { store throws(PersistenceError) in try await store.endHold(key) }
        } catch {
            environment.logger.warning("end of a hold not stored", metadata: ["error": "\(error.code)"])
        }
    }
}
