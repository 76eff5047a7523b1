internal import HTTPModel

/// A request that waits for a turn. The turn counts it until this is released, so also when the answer is never begun.
package final class ChatObserver: Sendable {
    let run: ChatRun
    private let isAdmitted: @Sendable () -> Bool

    /// Seconds after which a sender whose rights are gone is noticed.
    private static let recheckSeconds = 0.25

    /// - Parameter isAdmitted: whether the sender may still have the answer.
    init(_ run: ChatRun, isAdmitted: @escaping @Sendable () -> Bool) {
        (self.run, self.isAdmitted) = (run, isAdmitted)
        run.enter()
    }

    deinit { run.leave() }

    /// Waits for more than was seen, for the end, for the time, or for the task to be cancelled. Throws, and ends the
    /// turn, once the sender is not admitted any more.
    func news(after seen: Int, seconds: Double) async throws(APIError) -> ChatRun.News {
        var left = seconds
        while true {
            let news = await run.news(after: seen, seconds: min(left, ChatObserver.recheckSeconds))
            left -= ChatObserver.recheckSeconds
            guard isAdmitted() else {
                await run.end()
                throw ChatRefusal.revoked
            }
            if news.outcome != nil || news.seen > seen || left <= 0 || Task.isCancelled { return news }
        }
    }
}
