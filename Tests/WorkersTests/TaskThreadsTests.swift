import Foundation
import Testing
import Workers

@Suite(.timeLimit(.minutes(5))) struct TaskThreadsTests {
    /// Not asynchronous: it runs to its end on one thread.
    private func threadName() -> String {
        let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
        return name?.trimmingCharacters(in: .newlines) ?? ""
    }

    @Test func aTaskStaysOnTheThreadsAfterASuspension() async throws {
        let threads = try TaskThreads<Int>(name: "here", count: 2)
        let names = await Task(executorPreference: threads.executor(of: 0)) {
            var names = [threadName()]
            await Task.yield()
            names.append(threadName())
            try? await Task.sleep(for: .milliseconds(2))
            names.append(threadName())
            return names
        }.value
        #expect(names.count == 3 && names.allSatisfy { ["here-0", "here-1"].contains($0) })
    }

    @Test func anOwnerWhoOccupiesItsThreadsDelaysNoOther() async throws {
        let threads = try TaskThreads<String>(name: "fair", count: 3)
        let gate = DispatchSemaphore(value: 0)
        let busy = (0..<100).map { _ in Task(executorPreference: threads.executor(of: "busy")) { block(gate) } }
        for number in 0..<20 {
            let value = await Task(executorPreference: threads.executor(of: "other")) {
                await Task.yield()
                return number
            }.value
            #expect(value == number)
        }
        for _ in busy { gate.signal() }
        for task in busy { await task.value }
    }

    /// Not asynchronous, because it blocks its thread on purpose.
    private func block(_ gate: DispatchSemaphore) { gate.wait() }

    @Test func suspendedTasksDoNotHoldUpOthers() async throws {
        let threads = try TaskThreads<Int>(name: "many", count: 2).executor(of: 0)
        let sleepers = (0..<20).map { _ in
            Task(executorPreference: threads) { try? await Task.sleep(for: .seconds(60)) }
        }
        let sum = await withTaskGroup(of: Int.self) { group in
            for number in 1...500 {
                group.addTask(executorPreference: threads) {
                    await Task.yield()
                    return number
                }
            }
            return await group.reduce(0, +)
        }
        #expect(sum == 125_250)
        for sleeper in sleepers { sleeper.cancel() }
        for sleeper in sleepers { await sleeper.value }
    }
}
