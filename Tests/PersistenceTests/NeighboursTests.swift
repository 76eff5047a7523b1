import EventModel
import Testing

@testable import Persistence

@Suite struct NeighboursTests {
    private let start = Timestamp(microseconds: 1_700_000_000_000_000)
    private let place = StreamPosition(epoch: "e", seq: 7)

    private func after(_ milliseconds: Double) -> Timestamp { start.adding(seconds: milliseconds / 1000) }

    @Test func aServerTellsFromTimeToTimeThatItExists() {
        var neighbours = Neighbours(name: "a", now: start)
        #expect(neighbours.due(at: start) == .present("a"))
        #expect(neighbours.dueAt == after(5000))
        #expect(neighbours.due(at: after(4999)) == nil)
        #expect(neighbours.due(at: after(5000)) == .present("a"))
    }

    @Test func whoMissedTheEndOfTheCommitsIsToldItAgain() {
        var neighbours = Neighbours(name: "a", now: start)
        _ = neighbours.due(at: start)
        neighbours.committed(place, at: start)
        #expect(neighbours.due(at: after(4999)) == nil)
        #expect(neighbours.due(at: after(5000)) == .reached(place, by: "a"))
        #expect(neighbours.due(at: after(9999)) == nil)
        #expect(neighbours.due(at: after(10_000)) == .reached(place, by: "a"))
        neighbours.heard(from: "b", at: after(10_001))
        #expect(neighbours.due(at: after(10_001)) == .reached(place, by: "a"))
    }

    @Test func commitsAreToldOnlyToOthersAndNotMoreOftenThanEveryTwentyMilliseconds() {
        var neighbours = Neighbours(name: "a", now: start)
        _ = neighbours.due(at: start)
        neighbours.heard(from: "a", at: start)
        neighbours.committed(place, at: start)
        #expect(!neighbours.hasNews && neighbours.due(at: after(1)) == nil)
        neighbours.heard(from: "b", at: after(1))
        #expect(neighbours.due(at: after(1)) == .reached(place, by: "a"))
        neighbours.committed(place, at: after(1))
        #expect(neighbours.due(at: after(1)) == .reached(place, by: "a"))
        neighbours.committed(place, at: after(2))
        #expect(neighbours.due(at: after(20)) == nil && neighbours.dueAt == after(21))
        #expect(neighbours.due(at: after(21)) == .reached(place, by: "a"))
        #expect(!neighbours.hasNews)
    }

    @Test func aServerThatEndsTellsWhatTheOthersHaveNotBeenTold() {
        var neighbours = Neighbours(name: "a", now: start)
        neighbours.committed(place, at: start)
        #expect(neighbours.lastNews() == nil)
        neighbours.heard(from: "b", at: after(1))
        neighbours.committed(place, at: after(2))
        #expect(neighbours.lastNews() == .reached(place, by: "a"))
        #expect(neighbours.lastNews() == nil)
    }

    @Test func aServerThatIsSilentIsForgotten() {
        var neighbours = Neighbours(name: "a", now: start)
        neighbours.heard(from: "b", at: start)
        neighbours.committed(place, at: after(14_999))
        #expect(neighbours.hasNews)
        neighbours.committed(place, at: after(15_000))
        #expect(!neighbours.hasNews)
    }
}
