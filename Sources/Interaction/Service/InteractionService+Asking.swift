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

extension InteractionService {
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

    private func answer(to poll: HoldPoll) async -> HoldAnswer {
        let request = AskingRequest()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let number = self.poll(poll) { continuation.resume(returning: $0) }
                if let number, request.isCancelled(number) { giveUp(poll.key, number) }
            }
        } onCancel: {
            if let number = request.cancel() { giveUp(poll.key, number) }
        }
    }

    private func giveUp(_ key: HoldKey, _ number: UInt64) {
        let now = environment.steadyClock()
        table.withLock { $0.pollEnded(key, number, now: now) }?(.again)
    }
}

/// A request that is cancelled before or after its number is known. Any thread.
private final class AskingRequest: Sendable {
    private let state = Mutex<(number: UInt64?, isCancelled: Bool)>((nil, false))

    /// Notes the request's number.
    func isCancelled(_ number: UInt64) -> Bool {
        state.withLock { state in
            state.number = number
            return state.isCancelled
        }
    }

    /// Returns the request's number, if it is known already.
    func cancel() -> UInt64? {
        state.withLock { state in
            state.isCancelled = true
            return state.number
        }
    }
}
