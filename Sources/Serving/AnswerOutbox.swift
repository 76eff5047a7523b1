internal import EventIngest
internal import Listener
internal import Persistence
internal import Synchronization

/// Collects the outcomes of requests that shared a commit and passes them to the loop together, with one wake-up
/// instead of one for each. It holds at most one outcome for each request in progress.
///
/// The loop builds the answers and releases the requests last, because memory management is cheapest if the same thread
/// allocates and frees the memory.
package final class AnswerOutbox: CommitObserver {
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

    package init() {}

    /// Any thread. Call `send` soon afterwards.
    func add(_ outcomes: [IngestOutcome], of pending: PendingIngest, to exchange: ExchangeID, on loop: NetworkLoop) {
        pending.count(outcomes)
        let answer = Answer(exchange: exchange, pending: pending, outcomes: outcomes)
        state.withLock { state in
            state.answers.append(answer)
            state.loop = loop
        }
    }

    package func answered() { send() }

    /// Any thread.
    package func send() {
        let waiting = state.withLock { state in
            defer { state = State() }
            return state
        }
        waiting.loop?.post { loop in
            let handler = loop.handler as? LoopHandler
            handler?.publications.answered(posts: waiting.answers.count)
            let answers = waiting.answers.filter { !$0.pending.isHeld(after: $0.outcomes) }
            loop.respond(answers.map { ($0.exchange, $0.pending.response(outcomes: $0.outcomes)) })
            guard answers.count < waiting.answers.count, let handler else { return }
            for answer in waiting.answers where answer.pending.isHeld(after: answer.outcomes) {
                handler.hold(answer.pending, answer.outcomes, answer.exchange, on: loop)
            }
        }
    }
}
