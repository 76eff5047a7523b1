import Dispatch
import Testing

@testable import Workers

@Suite struct MonotonicSemaphoreTests {
    @Test func signalsAreCounted() {
        let signals = MonotonicSemaphore()
        signals.signal()
        signals.signal()
        #expect(signals.wait(until: MonotonicSemaphore.Deadline(milliseconds: 0)))
        #expect(signals.wait(until: nil))
        #expect(!signals.wait(until: MonotonicSemaphore.Deadline(milliseconds: 1)))
    }

    @Test func aWaiterIsWokenByAnotherThread() throws {
        let signals = MonotonicSemaphore()
        let answered = MonotonicSemaphore()
        let worker = try WorkerThread(name: "waiter") {
            for _ in 0..<1000 where signals.wait(until: MonotonicSemaphore.Deadline(milliseconds: 60_000)) {
                answered.signal()
            }
        }
        for _ in 0..<1000 {
            signals.signal()
            #expect(answered.wait(until: MonotonicSemaphore.Deadline(milliseconds: 60_000)))
        }
        worker.join()
    }

    @Test func aDeadlineThatHasPassedIsNoWait() {
        #expect(!MonotonicSemaphore().wait(until: MonotonicSemaphore.Deadline(milliseconds: -5)))
    }
}
