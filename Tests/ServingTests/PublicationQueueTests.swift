import EventModel
import Testing
import WSFanout

@testable import Serving

@Suite struct PublicationQueueTests {
    private let start = Timestamp(microseconds: 1_767_607_200_000_000)
    private let many = PublicationQueue.manySubscribers

    private func after(_ seconds: Double) -> Timestamp { start.adding(seconds: seconds) }

    /// A queue with one commit at `start` and this many posts in progress.
    private func queue(posts: Int) -> PublicationQueue {
        var queue = PublicationQueue()
        queue.submitted(posts: posts)
        queue.committed([], opened: [], at: start)
        return queue
    }

    private func commits(_ action: PublicationQueue.Action) -> Int {
        if case .publish(let publication) = action { publication.commits } else { 0 }
    }

    @Test("a commit is sent at once if no other is to come, or if the subscribers are few")
    func atOnce() {
        var last = queue(posts: 0)
        #expect(commits(last.turnEnded(subscribers: many, now: start)) == 1)
        var few = queue(posts: 9)
        #expect(commits(few.turnEnded(subscribers: many - 1, now: start)) == 1)
        #expect(commits(few.turnEnded(subscribers: many - 1, now: start)) == 0)
    }

    @Test("a commit waits for the next, and both are sent together")
    func together() {
        var queue = queue(posts: 2)
        guard case .wait(let seconds) = queue.turnEnded(subscribers: many, now: after(0.005)) else {
            Issue.record("it did not wait")
            return
        }
        #expect(abs(seconds - 0.015) < 0.000_01)
        queue.committed([], opened: [], at: after(0.006))
        let action = queue.turnEnded(subscribers: many, now: after(0.006))
        #expect(commits(action) == 2)
        if case .publish(let publication) = action { #expect(publication.committedAt == start) }
    }

    @Test("a commit waits no longer than the answers of the posts in progress")
    func answered() {
        var queue = queue(posts: 3)
        queue.answered(posts: 2)
        #expect(commits(queue.turnEnded(subscribers: many, now: start)) == 0)
        queue.answered(posts: 1)
        #expect(commits(queue.turnEnded(subscribers: many, now: start)) == 1)
    }

    @Test("a commit waits no longer than the bound")
    func bound() {
        var queue = queue(posts: 1)
        #expect(commits(queue.turnEnded(subscribers: many, now: after(PublicationQueue.maximumSeconds))) == 1)
    }

    @Test("events of another server between two commits are no part of what is sent, and leave a gap")
    func gaps() {
        func event(_ seq: Int64) -> EncodedEvent { PreparedBatchTests.encoded(seq) }
        var queue = PublicationQueue()
        for seqs in [[1, 2], [3], [5], [6, 7]] as [[Int64]] { queue.committed(seqs.map(event), opened: [], at: start) }
        #expect(queue.flush()?.batches.map { $0.map(\.seq) } == [[1, 2, 3], [5, 6, 7]])
    }

    @Test("what must come after the events takes them out first")
    func flush() {
        var queue = queue(posts: 1)
        #expect(queue.flush()?.commits == 1)
        #expect(queue.flush()?.commits == nil)
        #expect(commits(queue.turnEnded(subscribers: many, now: after(1))) == 0)
    }
}
