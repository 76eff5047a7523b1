import Testing

@testable import Persistence

@Suite struct BatchSplitTests {
    /// Commits all parts that hold none of `poisoned`; returns what was committed and what was refused alone, both in
    /// order, and how many transactions it took.
    private func run(_ count: Int, poisoned: Set<Int>) -> (committed: [Int], refused: [Int], transactions: Int) {
        var split = BatchSplit(count: count)
        var committed: [Int] = []
        var refused: [Int] = []
        var transactions = 0
        while let part = split.next() {
            transactions += 1
            if poisoned.isDisjoint(with: part) {
                committed += part
            } else if !split.halve(part) {
                refused.append(part.lowerBound)
            }
        }
        return (committed, refused, transactions)
    }

    @Test func emptyBatchHasNoParts() {
        var split = BatchSplit(count: 0)
        #expect(split.next() == nil)
    }

    @Test func soundBatchIsOneTransaction() {
        #expect(run(500, poisoned: []).transactions == 1)
    }

    @Test(arguments: [0, 1, 249, 498, 499])
    func onePoisonedEventCostsALogarithm(position: Int) {
        let result = run(500, poisoned: [position])
        #expect(result.committed == (0..<500).filter { $0 != position })
        #expect(result.refused == [position])
        #expect(result.transactions <= 2 * 9 + 1)
    }

    @Test func allPoisonedAreRefusedOneByOneInOrder() {
        let result = run(7, poisoned: Set(0..<7))
        #expect(result.committed == [])
        #expect(result.refused == Array(0..<7))
    }
}
