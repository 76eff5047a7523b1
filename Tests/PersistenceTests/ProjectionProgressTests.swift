import Synchronization
import Testing

@testable import Persistence

@Suite(.timeLimit(.minutes(5))) struct ProjectionProgressTests {
    private let progress = ProjectionProgress()

    @Test func aReadGoesOnWhenThePositionIsReached() async {
        progress.reached(5)
        await progress.wait(for: 5, atMost: 3600)
        async let later: Void = progress.wait(for: 6, atMost: 3600)
        progress.reached(6)
        await later
    }

    @Test func readsCheckForThemselvesWhenTheLeaseIsLost() async {
        let isOver = Mutex(false)
        let read = Task { [progress] in
            await progress.wait(for: 7, atMost: 3600)
            isOver.withLock { $0 = true }
        }
        // The read may begin after any of them.
        repeat {
            progress.reached(nil)
            await Task.yield()
        } while !isOver.withLock({ $0 })
        await read.value
    }

    @Test func aReadOfAPositionThatIsNeverReachedEnds() async {
        await progress.wait(for: 1, atMost: 0.01)
    }
}
