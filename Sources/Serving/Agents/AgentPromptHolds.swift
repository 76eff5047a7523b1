internal import API
internal import Agents
internal import EventIngest
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Logging
internal import Persistence
internal import Prompts
internal import RPC
internal import Sessions
internal import Synchronization

/// The open prompts of one agent's sessions. Each has a hold, as if a hook waited for it, and the agent gets the
/// answer. May be used on any thread.
final class AgentPromptHolds: Sendable {
    /// Seconds until a hold that was given up is opened again, because there was no room.
    private static let reopenSeconds = 5.0
    private static let answerSeconds = 20.0
    /// The open prompts of one agent at most. A further one is refused, and the agent tries again.
    private static let mostOpen = 256

    private struct Open {
        var poll: HoldPoll
        var sessionID: String
        var number: UInt64?
    }

    private let context: ServerContext
    private let link: AgentLink
    private let open = Mutex<[String: Open]>([:])

    init(context: ServerContext, link: AgentLink) {
        (self.context, self.link) = (context, link)
    }

    /// The prompt's event is stored when this returns.
    func open(_ prompt: AgentPrompt) async throws(RPCError) {
        let hasRoom = open.withLock { $0[prompt.holdID] != nil || $0.count < AgentPromptHolds.mostOpen }
        guard hasRoom else { throw .busy() }
        let held = try await decode(prompt)
        let outcome = await context.pipeline.submit([held.event]).first
        let isCommitted: Bool
        switch outcome {
        case .accepted, .duplicate: isCommitted = true
        case .spooled: isCommitted = false
        case .rejected(let error): throw .invalidParameter("event", error.message)
        case .unavailable, nil: throw .unavailable()
        }
        var request = HoldRequest(id: prompt.holdID, seconds: prompt.seconds, policy: HoldPolicy(prompt.policy))
        request.hasTerminal = false
        let poll = HoldPoll(
            request: request,
            eventID: held.event.id,
            machine: link.machine,
            content: HeldContent(sent: held.sent, shown: held.shown),
            isCommitted: isCommitted
        )
        open.withLock { $0[prompt.holdID] = Open(poll: poll, sessionID: prompt.sessionID) }
        wait(for: prompt.holdID)
    }

    private func decode(_ prompt: AgentPrompt) async throws(RPCError) -> HeldHook {
        let (now, machine, name) = (context.clock(), link.machine, link.machineName)
        let result = await withCheckedContinuation { (done: CheckedContinuation<Result<HeldHook, APIError>, Never>) in
            // The decoder belongs to the loop.
            context.loop.post { handler, _ in
                done.resume(
                    returning: Result { () throws(APIError) in
                        try handler.decoder.decodeHeld(
                            body: prompt.event,
                            isEnvelope: true,
                            contentType: "application/json",
                            contentEncoding: nil,
                            machine: machine,
                            machineName: name,
                            now: now
                        )
                    }
                )
            }
        }
        switch result {
        case .failure(let error): throw .invalidParameter("event", error.message)
        case .success(let held):
            let hook = held.event.hookEventName?.known
            guard hook == .permissionRequest || hook == .elicitation, held.event.sessionID == prompt.sessionID else {
                throw .invalidParameter("event", "is not a request of the session")
            }
            return held
        }
    }

    private func wait(for id: String) {
        guard let poll = open.withLock({ $0[id]?.poll }) else { return }
        let number = context.prompts.holds.poll(poll) { [weak self] answer in self?.answered(id, answer) }
        open.withLock { $0[id]?.number = number }
    }

    private func answered(_ id: String, _ answer: HoldAnswer) {
        switch answer {
        case .again: break
        case .output(let output):
            guard let session = open.withLock({ $0[id]?.sessionID }) else { return }
            context.task(for: link.machine) { [self] in
                await give(output, to: session, id)
            }
        case .askLocally:
            context.task(for: link.machine) { [weak self] in
                try? await Task.sleep(for: .seconds(AgentPromptHolds.reopenSeconds))
                self?.wait(for: id)
            }
        }
    }

    /// If the link is lost meanwhile, the agent restates the prompt when it returns, and gets the answer then.
    private func give(_ output: [UInt8], to session: String, _ id: String) async {
        guard let decision = try? JSONValue.parse(output, maxDepth: AgentHost.maximumDepth) else { return }
        do throws(APIError) {
            try await context.agents.answer(id, of: session, with: decision, by: link, seconds: Self.answerSeconds)
            open.withLock { _ = $0.removeValue(forKey: id) }
        } catch {
            context.logger.warning("an answer did not reach its session", metadata: ["error": "\(error.code)"])
        }
    }

    func withdraw(_ end: AgentPromptEnd) async {
        let known = open.withLock { $0.removeValue(forKey: end.holdID) }
        let step: PromptUpdate.Step =
            switch end.reason {
            case .cancelled: .released
            case .gone: .gone
            case .expired: .expired
            }
        let key = HoldKey(machine: link.machine, id: end.holdID)
        await context.prompts.holds.end(key, step, event: known?.poll.eventID)
    }

    /// The prompts stay answerable for a while, for the case that the agent returns.
    func linkEnded() {
        let left = open.withLock { open in
            defer { open = [:] }
            return open
        }
        for (id, prompt) in left {
            guard let number = prompt.number else { continue }
            context.prompts.holds.pollEnded(HoldKey(machine: link.machine, id: id), number)
        }
    }
}
