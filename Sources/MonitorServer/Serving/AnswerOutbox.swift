internal import HTTPModel
internal import Listener
internal import Synchronization

/// Answers of the requests that shared a commit, until they go to their loops together: one wake-up instead of one for
/// each. It holds at most one for each request under way.
final class AnswerOutbox: Sendable {
    private struct Answer {
        var loop: NetworkLoop
        var exchange: ExchangeID
        var response: HTTPResponse
    }

    private let waiting = Mutex<[Answer]>([])

    /// Any thread. Whoever calls this calls `send` soon.
    func add(_ response: HTTPResponse, to exchange: ExchangeID, on loop: NetworkLoop) {
        waiting.withLock { $0.append(Answer(loop: loop, exchange: exchange, response: response)) }
    }

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
                for answer in all where answer.loop === loop { loop.respond(answer.exchange, answer.response) }
            }
        }
    }
}
