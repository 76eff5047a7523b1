import Synchronization
import Testing

@testable import Workers

@Suite("FairMailbox")
struct FairMailboxTests {
    @Test("threads run all elements, and never more of an owner than may run")
    func threads() throws {
        let mailbox = FairMailbox<String, Int>(workers: 3, workersOfOwner: 2, waiting: 10_000)
        let state = Mutex<(running: [String: Int], most: Int, seen: [Int])>(([:], 0, []))
        let done = Mailbox<Void>(byteLimit: 1)
        let workers = try (0..<3).map { index in
            try WorkerThread(name: "fair-\(index)") {
                var finished: String?
                while let (owner, element) = mailbox.take(after: finished) {
                    state.withLock { state in
                        state.running[owner, default: 0] += 1
                        state.most = max(state.most, state.running[owner] ?? 0)
                        state.seen.append(element)
                        if state.seen.count == 2000 { _ = done.offer((), bytes: 1) }
                    }
                    state.withLock { $0.running[owner, default: 0] -= 1 }
                    finished = owner
                }
            }
        }
        for element in 0..<2000 { #expect(mailbox.offer(element, from: element % 3 == 0 ? "a" : "b")) }
        _ = done.takeAll(timeoutMilliseconds: nil)
        mailbox.close()
        for worker in workers { worker.join() }
        state.withLock { state in
            #expect(state.most <= 2)
            #expect(state.seen.sorted() == Array(0..<2000))
        }
        #expect(!mailbox.offer(1, from: "a"))
    }
}
