package import EventModel
package import HTTPModel
internal import Persistence
package import Sessions
internal import Synchronization

/// A request that a program makes over a connection of its own, beside the hooks.
package struct AskedRequest: Sendable, Equatable {
    package var key: HoldKey
    package var eventID: EventID
    package var session: String
    /// Claude's id of the call that is asked about.
    package var call: String

    package init(key: HoldKey, eventID: EventID, session: String, call: String) {
        (self.key, self.eventID, self.session, self.call) = (key, eventID, session, call)
    }
}

extension HoldService {
    /// The prompt of the request, or the one that asked for the same call before.
    package func prompt(of request: AskedRequest) async throws(APIError) -> Prompt? {
        try await environment.database.use { store throws(PersistenceError) in
            try await store.prompt(askedBy: request)
        }
    }

    /// What is asked: unmasked if this server has it, else as the log has it.
    package func content(of request: AskedRequest) async throws(APIError) -> HeldContent? {
        if let held = hooks.table.withLock({ $0[request.key]?.content }) { return held }
        let event = try await environment.database.use { store throws(PersistenceError) in
            try await store.event(id: request.eventID)?.event
        }
        return event.map { HeldContent(stored: $0.payload, isWhole: $0.facts.shownWhole.contains(.payload)) }
    }

    /// Whether another connection waits for the request on this server.
    package func isAwaited(_ request: AskedRequest) -> Bool { hooks.table.withLock { $0.isOpen(request.key) } }

    /// Whether the caller has come back after this time, to any server. True if the database cannot tell: what is lost
    /// then ends with its time.
    package func hasReturned(_ request: AskedRequest, after time: Timestamp) async -> Bool {
        do throws(APIError) {
            return try await environment.database.use { store throws(PersistenceError) in
                try await store.isTouched(request.key, after: time)
            }
        } catch {
            return true
        }
    }

    /// Whether hooks wait for the same prompt on this server.
    package func isShared(_ request: AskedRequest) -> Bool { hooks.table.withLock { $0.isShared(request.key) } }

    /// Whether the answer that counts allowed the call as it was asked, with its own input.
    package func allowsUnchanged(_ prompt: Prompt) async throws(APIError) -> Bool {
        guard let answer = prompt.answer, prompt.decision == .allow, let sent = try await body(of: answer, to: prompt)
        else { return false }
        return sent.updatedInput == nil && sent.plan == nil && sent.answers == nil && sent.content == nil
    }
}
