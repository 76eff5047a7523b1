import Synchronization
import Testing

@testable import Search

/// Counts how many searches run at once.
private final class Running: Sendable {
    private let counts = Mutex((now: 0, most: 0))

    func begin() { counts.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }
    func end() { counts.withLock { $0.now -= 1 } }
    var now: Int { counts.withLock { $0.now } }
    var most: Int { counts.withLock { $0.most } }
}

@Suite("SearchTurns")
struct SearchTurnsTests {
    /// Waits until it is cancelled.
    private func untilCancelled() async {
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        await withTaskCancellationHandler {
            for await _ in stream {}
        } onCancel: {
            continuation.finish()
        }
    }

    @Test("a newer search of a caller ends the older one, and begins when that has ended")
    func replaces() async {
        let turns = SearchTurns<String>()
        let running = Running()
        let (began, beginning) = AsyncStream<Void>.makeStream()
        let older = Task {
            await turns.run(for: "a") {
                running.begin()
                beginning.yield()
                await untilCancelled()
                running.end()
                return 1
            }
        }
        for await _ in began { break }
        let newer = await turns.run(for: "a") { running.now }
        #expect(newer == 0)
        #expect(await older.value == nil)
        #expect(turns.count == 0)
    }

    @Test("other callers are not disturbed")
    func others() async {
        let turns = SearchTurns<String>()
        let (began, beginning) = AsyncStream<Void>.makeStream()
        let (gate, opening) = AsyncStream<Void>.makeStream()
        let first = Task {
            await turns.run(for: "a") { () -> Bool in
                beginning.yield()
                for await _ in gate { break }
                return Task.isCancelled
            }
        }
        for await _ in began { break }
        #expect(await turns.run(for: "b") { 2 } == 2)
        opening.yield()
        #expect(await first.value == false)
    }

    @Test("of many searches at once at most one runs, and the last one is answered")
    func many() async {
        let (turns, counts) = (SearchTurns<String>(), Running())
        let answered = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    await turns.run(for: "a") {
                        counts.begin()
                        await Task.yield()
                        counts.end()
                        return true
                    } ?? false
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(counts.most == 1)
        #expect(answered >= 1 && turns.count == 0)
    }

    @Test("a search ends when its caller's task is cancelled")
    func cancelled() async {
        let turns = SearchTurns<String>()
        let (began, beginning) = AsyncStream<Void>.makeStream()
        let search = Task {
            await turns.run(for: "a") { () -> Bool in
                beginning.yield()
                await untilCancelled()
                return Task.isCancelled
            }
        }
        for await _ in began { break }
        search.cancel()
        #expect(await search.value == true)
        #expect(turns.count == 0)
    }
}
