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

    private let waiting = Mutex<[Answer]>([])

    package init() {}

    /// Any thread. Call `send` soon afterwards.
    func add(_ outcomes: [IngestOutcome], of pending: PendingIngest, to exchange: ExchangeID) {
        pending.count(outcomes)
        waiting.withLock { $0.append(Answer(exchange: exchange, pending: pending, outcomes: outcomes)) }
    }

    package func answered() { send() }

    /// Any thread.
    package func send() {
        let all = waiting.withLock { answers in
            defer { answers = [] }
            return answers
        }
        all.first?.pending.context.loop.post { handler, loop in
            handler.publications.answered(posts: all.count)
            let answers = all.filter { !$0.pending.isHeld(after: $0.outcomes) }
            loop.respond(answers.map { ($0.exchange, $0.pending.response(outcomes: $0.outcomes)) })
            guard answers.count < all.count else { return }
            for answer in all where answer.pending.isHeld(after: answer.outcomes) {
                handler.hold(answer.pending, answer.outcomes, answer.exchange, on: loop)
            }
        }
    }
}
