internal import EventIngest
internal import Listener
internal import Persistence
internal import Synchronization

/// What became of the requests that shared a commit, until it goes to their loops together: one wake-up instead of one
/// for each. It holds at most one for each request under way.
///
/// The loop makes the answers, and is the last to let go of the requests: what one thread both takes from the allocator
/// and gives back costs the least.
final class AnswerOutbox: CommitObserver {
    private struct Answer {
        var loop: NetworkLoop
        var exchange: ExchangeID
        var pending: PendingIngest
        var outcomes: [IngestOutcome]
    }

    private let waiting = Mutex<[Answer]>([])

    /// Any thread. Whoever calls this calls `send` soon.
    func add(_ outcomes: [IngestOutcome], of pending: PendingIngest, to exchange: ExchangeID, on loop: NetworkLoop) {
        pending.count(outcomes)
        let answer = Answer(loop: loop, exchange: exchange, pending: pending, outcomes: outcomes)
        waiting.withLock { $0.append(answer) }
    }

    func answered() { send() }

    /// Any thread.
    func send() {
        var left = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        while let loop = left.first?.loop {
            let all = left
            left = all.filter { $0.loop !== loop }
            loop.post { loop in
                loop.respond(
                    all.lazy.filter { $0.loop === loop }.map { answer in
                        (answer.exchange, answer.pending.response(outcomes: answer.outcomes))
                    }
                )
            }
        }
    }
}
