import Testing

@testable import MonitorAgent

@Suite("Chat queue")
struct ChatQueueTests {
    /// A queue with chats of the callers that the ids begin with.
    private func queue(_ ids: [String]) -> ChatQueue {
        var queue = ChatQueue()
        for id in ids {
            let isAdded = queue.add(id, of: String(id.prefix(1)), now: 0)
            #expect(isAdded)
        }
        return queue
    }

    private func all(_ queue: inout ChatQueue) -> [String] {
        var taken: [String] = []
        while let id = queue.next() { taken.append(id) }
        return taken
    }

    @Test("callers take turns, and each caller's chats keep their order")
    func turns() {
        var queue = queue(["a1", "a2", "a3", "b1", "b2", "c1"])
        #expect(queue.count == 6 && queue.contains("b2") && !queue.contains("b3"))
        #expect(all(&queue) == ["a1", "b1", "c1", "a2", "b2", "a3"])
        #expect(queue.isEmpty && queue.deadline == nil)
    }

    @Test("a caller that comes later does not wait for all chats of another")
    func later() {
        var queue = queue((1...10).map { "a\($0)" })
        #expect(queue.next() == "a1")
        let isAdded = queue.add("b1", of: "b", now: 1)
        #expect(isAdded)
        #expect([queue.next(), queue.next(), queue.next()] == ["a2", "b1", "a3"])
    }

    @Test("one more than fits is refused, until one has gone")
    func full() {
        var queue = queue((1...ChatQueue.most).map { "\($0)" })
        let early = queue.add("more", of: "other", now: 0)
        #expect(!early)
        let removals = [queue.remove("5"), queue.remove("5")]
        #expect(removals == [true, false])
        let late = queue.add("more", of: "other", now: 0)
        #expect(late)
    }

    @Test("those whose time is over go, and the others stay")
    func late() {
        var queue = ChatQueue()
        let isAdded = [
            queue.add("a1", of: "a", now: 0), queue.add("a2", of: "a", now: 5), queue.add("b1", of: "b", now: 1),
        ]
        #expect(isAdded == [true, true, true])
        #expect(queue.deadline == ChatQueue.seconds)
        #expect(queue.due(now: ChatQueue.seconds - 0.1) == [])
        #expect(queue.due(now: ChatQueue.seconds + 1) == ["a1", "b1"])
        #expect(queue.removeAll() == ["a2"] && queue.isEmpty)
    }
}
