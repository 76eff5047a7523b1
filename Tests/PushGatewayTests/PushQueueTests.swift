import Testing

@testable import PushGateway

@Suite("PushQueue")
struct PushQueueTests {
    private struct Push: QueuedPush {
        let sequence: UInt64
        var priority = 10
        var deadline = 100.0

        var queuedAt: Double { Double(sequence) }
    }

    private func drain(_ queue: inout PushQueue<Push>) -> [UInt64] {
        var order: [UInt64] = []
        while let push = queue.next() { order.append(push.sequence) }
        return order
    }

    @Test("higher priorities first, then by age")
    func order() {
        var queue = PushQueue<Push>()
        for (sequence, priority) in [(1, 5), (2, 10), (3, 1), (4, 10), (5, 5)] {
            queue.insert(Push(sequence: UInt64(sequence), priority: priority))
        }
        #expect(queue.count == 5)
        #expect(drain(&queue) == [2, 4, 1, 5, 3])
        #expect(queue.isEmpty)
    }

    @Test("a push that comes back gets its old place")
    func comesBack() {
        var queue = PushQueue<Push>()
        for sequence in 1...5 { queue.insert(Push(sequence: UInt64(sequence))) }
        let first = queue.next()
        let second = queue.next()
        for back in [second, first].compactMap({ $0 }) { queue.insert(back) }
        #expect(drain(&queue) == [1, 2, 3, 4, 5])
    }

    @Test("deadlines take pushes out, and the next one is known")
    func deadlines() {
        var queue = PushQueue<Push>()
        queue.insert(Push(sequence: 1, deadline: 30))
        queue.insert(Push(sequence: 2, priority: 5, deadline: 10))
        queue.insert(Push(sequence: 3, deadline: 20))
        #expect(queue.nextDeadline == 10)
        #expect(queue.expire(now: 9).isEmpty)
        #expect(queue.expire(now: 20).map(\.sequence).sorted() == [2, 3])
        #expect(queue.nextDeadline == 30)
        #expect(queue.oldestQueuedAt == 1)
        #expect(drain(&queue) == [1])
        #expect(queue.nextDeadline == nil)
        #expect(queue.oldestQueuedAt == nil)
    }

    @Test("against a sorted list, whatever comes and goes", arguments: 1...10)
    func property(seed: UInt64) {
        var random = SeededGenerator(seed)
        var queue = PushQueue<Push>()
        var model: [Push] = []
        var taken: [Push] = []
        for sequence in UInt64(1)...2000 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0...2:
                let priority = [1, 5, 10].randomElement(using: &random) ?? 1
                let new = Push(sequence: sequence, priority: priority, deadline: Double(sequence) + 300)
                queue.insert(new)
                model.append(new)
            case 3 where !taken.isEmpty:
                let back = taken.remove(at: Int.random(in: taken.indices, using: &random))
                queue.insert(back)
                model.append(back)
            case 4:
                let gone = queue.expire(now: Double(sequence)).map(\.sequence).sorted()
                #expect(gone == model.filter { $0.deadline <= Double(sequence) }.map(\.sequence).sorted())
                model.removeAll { $0.deadline <= Double(sequence) }
            default:
                model.sort { ($1.priority, $0.sequence) < ($0.priority, $1.sequence) }
                let next = queue.next()
                #expect(next?.sequence == model.first?.sequence)
                if let next {
                    model.removeFirst()
                    taken.append(next)
                }
            }
            #expect(queue.count == model.count)
        }
    }
}
