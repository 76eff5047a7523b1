internal import EventIngest
internal import Listener
internal import Persistence
internal import Synchronization

/// What became of the requests that shared a commit, until they go to the loop together: one wake-up instead of one
/// for each. It holds at most one for each request under way.
///
/// The loop makes the answers, and is the last to let go of the requests: what one thread both takes from the allocator
/// and gives back costs the least.
final class AnswerOutbox: CommitObserver {
    private struct Answer {
        var exchange: ExchangeID
        var pending: PendingIngest
        var outcomes: [IngestOutcome]
    }

    private struct State {
        var answers: [Answer] = []
        var loop: NetworkLoop?
    }

    private let state = Mutex(State())

    /// Any thread. To be followed by `send` soon.
    func add(_ outcomes: [IngestOutcome], of pending: PendingIngest, to exchange: ExchangeID, on loop: NetworkLoop) {
        pending.count(outcomes)
        let answer = Answer(exchange: exchange, pending: pending, outcomes: outcomes)
        state.withLock { state in
            state.answers.append(answer)
            state.loop = loop
        }
    }

    func answered() { send() }

    /// Any thread.
    func send() {
        let waiting = state.withLock { state in
            defer { state = State() }
            return state
        }
        waiting.loop?.post { loop in
            loop.respond(waiting.answers.map { ($0.exchange, $0.pending.response(outcomes: $0.outcomes)) })
        }
    }
}
