import Synchronization
import Testing
import Workers

@Suite struct MailboxTests {
    private func elements<E>(_ taken: Mailbox<E>.Taken) -> [E]? {
        if case .elements(let elements) = taken { elements } else { nil }
    }

    @Test func takesInOrderOfArrival() {
        let mailbox = Mailbox<Int>(byteLimit: 100)
        for value in 1...3 { #expect(mailbox.offer(value, bytes: 1)) }
        #expect(elements(mailbox.takeAll(timeoutMilliseconds: 0)) == [1, 2, 3])
        #expect(mailbox.queuedBytes == 0)
    }

    @Test func refusesBeyondItsBytesAndKeepsWhatItHas() {
        let mailbox = Mailbox<Int>(byteLimit: 10)
        #expect(mailbox.offer(1, bytes: 6))
        #expect(!mailbox.offer(2, bytes: 5))
        #expect(mailbox.offer(3, bytes: 4))
        #expect(elements(mailbox.takeAll(timeoutMilliseconds: 0)) == [1, 3])
    }

    @Test func takesOneOversizedElementWhenEmpty() {
        let mailbox = Mailbox<Int>(byteLimit: 10)
        #expect(mailbox.offer(1, bytes: 50))
        #expect(!mailbox.offer(2, bytes: 1))
        #expect(elements(mailbox.takeAll(maxBytes: 5, timeoutMilliseconds: 0)) == [1])
    }

    @Test func leavesElementsBeyondTheTakersLimits() {
        let mailbox = Mailbox<Int>(byteLimit: 100)
        for value in 1...5 { #expect(mailbox.offer(value, bytes: 10)) }
        #expect(elements(mailbox.takeAll(maxElements: 2, timeoutMilliseconds: 0)) == [1, 2])
        #expect(elements(mailbox.takeAll(maxBytes: 25, timeoutMilliseconds: 0)) == [3, 4])
        #expect(mailbox.count == 1)
    }

    @Test func emptyMailboxTimesOut() {
        let mailbox = Mailbox<Int>(byteLimit: 100)
        guard case .timedOut = mailbox.takeAll(timeoutMilliseconds: 5) else {
            Issue.record("expected a time-out")
            return
        }
    }

    @Test func closedMailboxGivesOutTheRestAndThenEnds() {
        let mailbox = Mailbox<Int>(byteLimit: 100)
        #expect(mailbox.offer(1, bytes: 1))
        mailbox.close()
        #expect(!mailbox.offer(2, bytes: 1))
        #expect(elements(mailbox.takeAll(timeoutMilliseconds: nil)) == [1])
        guard case .closed = mailbox.takeAll(timeoutMilliseconds: nil) else {
            Issue.record("expected the end")
            return
        }
    }

    @Test func isAwaitedWhileATakerWaits() throws {
        let mailbox = Mailbox<Int>(byteLimit: 100)
        #expect(!mailbox.isAwaited)
        let taker = try WorkerThread(name: "taker") { _ = mailbox.takeAll(timeoutMilliseconds: nil) }
        while !mailbox.isAwaited { WorkerThread.sleep(milliseconds: 1) }
        #expect(mailbox.offer(1, bytes: 1))
        #expect(!mailbox.isAwaited)
        taker.join()
        #expect(mailbox.count == 0)
    }

    @Test func closeWakesEveryWaitingTaker() throws {
        let mailbox = Mailbox<Int>(byteLimit: 100)
        let threads = try (0..<3).map { _ in
            try WorkerThread(name: "taker") { _ = mailbox.takeAll(timeoutMilliseconds: nil) }
        }
        mailbox.close()
        for thread in threads { #expect(thread.join(timeoutMilliseconds: 20_000)) }
    }

    @Test func manyProducersAndTakersLoseNothing() throws {
        let mailbox = Mailbox<Int>(byteLimit: .max)
        let seen = Mutex<[Int]>([])
        let takers = try (0..<3).map { _ in
            try WorkerThread(name: "taker") {
                while true {
                    switch mailbox.takeAll(maxElements: 7, timeoutMilliseconds: 1) {
                    case .elements(let values): seen.withLock { $0 += values }
                    case .timedOut: continue
                    case .closed: return
                    }
                }
            }
        }
        let producers = try (0..<4).map { producer in
            try WorkerThread(name: "producer") {
                for value in 0..<2_000 { _ = mailbox.offer(producer * 2_000 + value, bytes: 1) }
            }
        }
        for producer in producers { producer.join() }
        mailbox.close()
        for taker in takers { #expect(taker.join(timeoutMilliseconds: 20_000)) }
        #expect(seen.withLock { $0.sorted() } == Array(0..<8_000))
    }

    @Test func batchIsKeptUpToTheFirstThatDoesNotFit() {
        let mailbox = Mailbox<Int>(byteLimit: 10)
        #expect(mailbox.offer([(1, 4), (2, 6), (3, 1), (4, 0)]) == 2)
        #expect(mailbox.queuedBytes == 10)
        #expect(mailbox.offer([]) == 0)
        guard case .elements(let taken) = mailbox.takeAll(timeoutMilliseconds: 0) else {
            Issue.record("nothing was taken")
            return
        }
        #expect(taken == [1, 2])
        mailbox.close()
        #expect(mailbox.offer([(5, 1)]) == 0)
    }
}
