import DatabaseSamples
import EventModel
import Synchronization
import Testing
import Workers

@testable import Outbox

@Suite struct OutboxLoopTests {
    @Test func itDeliversWhileMoreIsDueAndThenWaitsForTheSignal() async {
        let (signal, isIdle) = (AsyncSignal(), AsyncSignal())
        let calls = Mutex(0)
        let sleeps = Mutex(0)
        let loop = OutboxLoop(signal, trouble: "not delivered", logger: quiet, clock: systemNow)
        let task = Task {
            await loop.run {
                calls.withLock { calls in
                    calls += 1
                    return calls < 3
                }
            } nextDue: {
                let sleep = sleeps.withLock { sleeps in
                    sleeps += 1
                    return sleeps
                }
                if sleep < 3 { signal.notify() } else { isIdle.notify() }
                return nil
            }
        }
        await isIdle.wait(atMost: 20)
        // Two calls had more to do; the third and the two after a signal had not.
        #expect(calls.withLock { $0 } == 5 && sleeps.withLock { $0 } == 3)
        task.cancel()
        signal.notify()
        await task.value
    }
}
