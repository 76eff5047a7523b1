import Foundation
import Synchronization
import Testing
import Workers

@Suite struct WorkerThreadTests {
    @Test func joinWaitsForTheBody() throws {
        let ran = Atomic(false)
        let gate = Mailbox<Int>(byteLimit: 1)
        let thread = try WorkerThread(name: "body") {
            _ = gate.takeAll(timeoutMilliseconds: nil)
            ran.store(true, ordering: .releasing)
        }
        #expect(!thread.join(timeoutMilliseconds: 0))
        gate.close()
        thread.join()
        let hasRun = ran.load(ordering: .acquiring)
        #expect(hasRun)
    }

    @Test func threadCarriesItsNameCutToFifteenBytes() throws {
        let name = Mutex("")
        let thread = try WorkerThread(name: "a-rather-long-name") {
            let comm = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
            name.withLock { $0 = comm ?? "" }
        }
        thread.join()
        #expect(name.withLock { $0 } == "a-rather-long-n\n")
    }
}
