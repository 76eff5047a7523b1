import Testing

@testable import Workers

/// A queue that is changed in place.
private final class Queue<Owner: Hashable & Sendable> {
    private var queue: FairQueue<Owner, Int>

    init(workers: Int = 1, ofOwner: Int = 1, waiting: Int = 100) {
        queue = FairQueue(workers: workers, workersOfOwner: ofOwner, waiting: waiting)
    }

    func offer(_ element: Int, from owner: Owner) -> Bool { queue.offer(element, from: owner) }
    func next() -> (owner: Owner, element: Int)? { queue.next() }
    func ended(_ owner: Owner) { queue.ended(owner) }
    func removeAll() -> [Int] { queue.removeAll() }
    var hasNext: Bool { queue.hasNext }
    var count: Int { queue.count }
    var runningCount: Int { queue.runningCount }
}

@Suite("FairQueue")
struct FairQueueTests {
    @Test("owners take turns, and each owner's elements keep their order")
    func turns() {
        let queue = Queue<String>()
        let offered = [("a", 1), ("a", 2), ("a", 3), ("b", 4), ("c", 5), ("b", 6)]
        for (owner, element) in offered {
            let isTaken = queue.offer(element, from: owner)
            #expect(isTaken)
        }
        var order: [Int] = []
        while let (owner, element) = queue.next() {
            order.append(element)
            queue.ended(owner)
        }
        #expect(order == [1, 4, 5, 2, 6, 3])
        #expect(queue.count == 0 && queue.runningCount == 0)
    }

    @Test("one owner uses its workers only, and another finds one free")
    func workersOfOwner() {
        let queue = Queue<String>(workers: 4, ofOwner: 2)
        for element in 1...10 { _ = queue.offer(element, from: "flooder") }
        #expect(queue.next()?.element == 1)
        #expect(queue.next()?.element == 2)
        #expect(queue.next() == nil)
        #expect(!queue.hasNext)
        _ = queue.offer(99, from: "quiet")
        #expect(queue.hasNext)
        #expect(queue.next()?.element == 99)
        queue.ended("flooder")
        #expect(queue.next()?.element == 3)
    }

    @Test("one owner fills half of the waiting room, and what it took is free again")
    func room() {
        let queue = Queue<String>(waiting: 16)
        let taken = (1...40).filter { queue.offer($0, from: "flooder") }
        #expect(taken.count == 8)
        let isTaken = queue.offer(1, from: "quiet")
        #expect(isTaken)
        #expect(queue.removeAll().count == 9)
        #expect(queue.count == 0)
        #expect(queue.next() == nil)
        #expect((1...40).filter { queue.offer($0, from: "other") }.count == 8)
    }

    /// A copy of the rules, in the simplest form: lists.
    @Test("random sequences keep every bound, lose nothing and starve nobody", arguments: 1...40)
    func property(seed: UInt64) {
        var random = SplitMix(state: seed)
        let (workers, ofOwner, waiting) = (1 + random.below(4), 1 + random.below(3), 1 + random.below(40))
        let queue = Queue<Int>(workers: workers, ofOwner: ofOwner, waiting: waiting)
        var (queued, running, passedOver): ([Int: [Int]], [Int: Int], [Int: Int]) = ([:], [:], [:])
        for element in 0..<2000 {
            let owner = random.below(5)
            switch random.below(3) {
            case 0:
                if queue.offer(element, from: owner) { queued[owner, default: []].append(element) }
            case 1:
                let eligible = queued.filter { !$0.value.isEmpty && running[$0.key, default: 0] < ofOwner }.map(\.key)
                let isFree = running.values.reduce(0, +) < workers
                guard let (owner, element) = queue.next() else {
                    #expect(eligible.isEmpty || !isFree)
                    continue
                }
                #expect(queued[owner]?.removeFirst() == element)
                running[owner, default: 0] += 1
                for other in eligible where other != owner { passedOver[other, default: 0] += 1 }
                passedOver[owner] = 0
                #expect(passedOver.values.allSatisfy { $0 < 5 * workers })
            default:
                guard running[owner, default: 0] > 0 else { continue }
                running[owner, default: 0] -= 1
                queue.ended(owner)
            }
            #expect(queue.count == queued.values.map(\.count).reduce(0, +) && queue.count <= waiting)
            #expect(queue.runningCount == running.values.reduce(0, +) && queue.runningCount <= workers)
            #expect(running.values.allSatisfy { $0 <= ofOwner })
        }
    }
}

/// SplitMix64: the same numbers for the same seed.
private struct SplitMix {
    var state: UInt64

    mutating func below(_ bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ (mixed >> 31)) % UInt64(bound))
    }
}
