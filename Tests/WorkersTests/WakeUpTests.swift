import Dispatch
import Testing

@testable import Workers

@Suite struct WakeUpTests {
    @Test func signalsAreCounted() {
        let wakeUp = WakeUp()
        wakeUp.signal()
        wakeUp.signal()
        #expect(wakeUp.wait(until: WakeUp.Deadline(milliseconds: 0)))
        #expect(wakeUp.wait(until: nil))
        #expect(!wakeUp.wait(until: WakeUp.Deadline(milliseconds: 1)))
    }

    @Test func aWaiterIsWokenByAnotherThread() throws {
        let wakeUp = WakeUp()
        let answered = WakeUp()
        let worker = try WorkerThread(name: "waiter") {
            for _ in 0..<1000 where wakeUp.wait(until: WakeUp.Deadline(milliseconds: 60_000)) { answered.signal() }
        }
        for _ in 0..<1000 {
            wakeUp.signal()
            #expect(answered.wait(until: WakeUp.Deadline(milliseconds: 60_000)))
        }
        worker.join()
    }

    @Test func aDeadlineThatHasPassedIsNoWait() {
        #expect(!WakeUp().wait(until: WakeUp.Deadline(milliseconds: -5)))
    }
}
