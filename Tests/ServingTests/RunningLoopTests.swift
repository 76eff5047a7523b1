import Synchronization
import Testing

@testable import Serving

@Suite struct RunningLoopTests {
    @Test("work waits for the handler, in its order, and is taken once")
    func waits() {
        let loop = RunningLoop()
        for _ in 0..<3 { loop.post { _, _ in } }
        loop.forgetErased()
        #expect(loop.takeWork().count == 4)
        #expect(loop.takeWork().isEmpty)
    }
}
