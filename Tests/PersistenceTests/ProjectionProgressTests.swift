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

    @Test func readsCheckForThemselvesWhenTheLeaseIsLost() async throws {
        async let waiting: Void = progress.wait(for: 7, atMost: 3600)
        try await Task.sleep(for: .milliseconds(20))
        progress.reached(nil)
        await waiting
    }

    @Test func aReadOfAPositionThatIsNeverReachedEnds() async {
        await progress.wait(for: 1, atMost: 0.01)
    }
}
