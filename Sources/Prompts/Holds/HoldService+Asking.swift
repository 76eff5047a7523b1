package import EventModel
internal import Sessions
internal import Synchronization

/// The result for a program that asks over a connection of its own.
package enum AskingOutcome: Sendable, Equatable {
    /// The output that a hook would print.
    case output([UInt8])
    case timedOut
    /// The session continued, the task was cancelled, or another request replaced this one.
    case cancelled
}

extension HoldService {
    /// Whether any device may answer prompts of the machine. True before the devices are first read.
    package func isAnyoneAllowed(on machine: MachineID) -> Bool {
        environment.isAnyoneAllowed(machine)
    }

    /// Holds a prompt as for a hook, and waits until it is answered or its time is over. An expired prompt counts as
    /// denied.
    ///
    /// If the task is cancelled, the hold stays for `HoldTable.graceSeconds`, so that a repeated request finds it.
    package func ask(_ poll: HoldPoll) async -> AskingOutcome {
        let until = environment.steadyClock().adding(seconds: poll.request.seconds)
        switch await answer(to: poll) {
        case .output(let bytes): return .output(bytes)
        case .again: return .cancelled
        case .askLocally:
            guard environment.steadyClock() >= until else { return .cancelled }
            await end(poll.key, .expired, event: poll.eventID)
            return .timedOut
        }
    }

    /// Opens the hold, so that the prompt can be answered before `ask` waits for it.
    package func begin(_ poll: HoldPoll) {
        guard let number = self.poll(poll, reply: { _ in }) else { return }
        let now = environment.steadyClock()
        hooks.table.withLock { _ = $0.pollEnded(poll.key, number, now: now) }
    }

    private func answer(to poll: HoldPoll) async -> HoldAnswer {
        let (answers, given) = AsyncStream.makeStream(of: HoldAnswer.self)
        let number = self.poll(poll) { given.yield($0) }
        for await answer in answers { return answer }
        // The task was cancelled.
        let now = environment.steadyClock()
        if let number { hooks.table.withLock { _ = $0.pollEnded(poll.key, number, now: now) } }
        return .again
    }
}
