import Testing

@testable import Machines

/// Numbers that repeat, come late or never, against a set.
struct NumberSetTests {
    @Test(arguments: 0..<200)
    func countsAreExactHoweverNumbersArrive(seed: UInt64) throws {
        var random = Generator(state: seed)
        let sent = Int64.random(in: 1...400, using: &random)
        var arrivals = (1...sent).filter { _ in Int.random(in: 0..<10, using: &random) > 1 }
        for number in arrivals where Int.random(in: 0..<5, using: &random) == 0 { arrivals.append(number) }
        if seed % 2 == 0 { arrivals.shuffle(using: &random) }
        var (numbers, known, recovered, highest) = (NumberSet(), Set<Int64>(), Int64(0), Int64(0))
        for number in arrivals {
            let isNew = known.insert(number).inserted
            if isNew, number < highest { recovered += 1 }
            highest = max(highest, number)
            let isInserted = numbers.insert(number)
            #expect(isInserted == isNew)
            #expect(numbers.missing == highest - Int64(known.count))
            #expect(numbers.recovered == recovered)
        }
        #expect(NumberSet(stored: numbers.stored) == numbers)
    }

    @Test func theLowestGapIsGivenUpAtTheBound() {
        var numbers = NumberSet()
        let count = Int64(NumberSet.maximumRanges + 10)
        for number in 1...count { numbers.insert(2 * number) }
        #expect(numbers.ranges.count == NumberSet.maximumRanges)
        #expect(numbers.missing == count)
        #expect(numbers.lost == 10)
        let isGivenUp = !numbers.insert(3)
        let isTaken = numbers.insert(2 * count - 1)
        #expect(isGivenUp && isTaken)
        #expect(numbers.missing == count - 1)
    }

    @Test(arguments: ["", "1 2", "x 0 1", "0 0 5-3", "0 0 1-3,4-5", "0 0 1-2-3", "0 0 -4", "0 0 1,x"])
    func textsThatAreNotStoredFormsAreRefused(text: String) {
        #expect(NumberSet(stored: text) == nil)
    }

    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = state
            value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
            return value ^ (value >> 31)
        }
    }
}
