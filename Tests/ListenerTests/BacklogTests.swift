import Testing

@testable import Listener

@Suite struct BacklogTests {
    @Test func sendsWhatFitsTogether() {
        var backlog = Backlog()
        backlog.libraryHolds(100)
        for size in [10, 20, 30, 90, 5] { backlog.append([UInt8](repeating: UInt8(size), count: size)) }
        #expect(backlog.count == 255)
        #expect(backlog.next(limit: 60)?.count == 60)
        #expect(backlog.count == 95)
        #expect(backlog.next(limit: 60) == [UInt8](repeating: 90, count: 90))
        #expect(backlog.next(limit: 60) == [UInt8](repeating: 5, count: 5))
        #expect(backlog.next(limit: 60) == nil)
        #expect(backlog.isEmpty)
    }

    @Test func keepsTheOrderOverManyTurns() {
        var backlog = Backlog()
        var next: UInt8 = 0
        var seen: [UInt8] = []
        for _ in 0..<300 {
            for _ in 0..<3 {
                backlog.append([next])
                next &+= 1
            }
            seen += backlog.next(limit: 2) ?? []
        }
        while let piece = backlog.next(limit: 2) { seen += piece }
        #expect(seen == (0..<900).map { UInt8(truncatingIfNeeded: $0) })
    }

    @Test func droppingKeepsWhatTheLibraryHas() {
        var backlog = Backlog()
        backlog.libraryHolds(7)
        backlog.append([1, 2, 3])
        backlog.dropQueue()
        #expect(backlog.count == 7)
        #expect(backlog.next(limit: 10) == nil)
    }
}
