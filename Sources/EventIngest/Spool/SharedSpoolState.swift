internal import EventModel
internal import Synchronization

/// State that all threads share: the gate, and the numbers for the status. No other call is made while its lock is
/// held.
final class SharedSpoolState: Sendable {
    struct State: Sendable {
        var gate: SpoolGate
        var counts = SpoolStatus.Counts()
        var oldestWaiting: Timestamp?
    }

    private let state: Mutex<State>

    init(byteLimit: Int) {
        state = Mutex(State(gate: SpoolGate(byteLimit: byteLimit)))
    }

    func update<Output: Sendable>(_ change: (inout State) -> Output) -> Output {
        state.withLock { change(&$0) }
    }

    var status: SpoolStatus {
        state.withLock { state in
            let gate = state.gate
            let condition: SpoolStatus.State =
                if let failure = gate.failure { .failed(failure.description) } else if gate.isAtBound { .full } else {
                    .ready
                }
            return SpoolStatus(
                state: condition,
                events: gate.waitingEvents,
                bytes: gate.waitingBytes,
                fileBytes: gate.fileBytes,
                byteLimit: gate.byteLimit,
                oldestWaiting: gate.waitingEvents == 0 ? nil : state.oldestWaiting,
                counts: state.counts
            )
        }
    }
}
