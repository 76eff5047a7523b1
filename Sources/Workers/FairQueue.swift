internal import DequeModule

/// A bounded queue in front of a few workers, fair among the owners of its elements: owners take turns, each runs a
/// limited number of elements at once, and each fills only its share of the waiting room (`FairShare`).
package struct FairQueue<Owner: Hashable & Sendable, Element: Sendable>: Sendable {
    private let workers: Int
    private let workersOfOwner: Int
    private var room: FairShare<Owner>
    /// Contains only owners with a waiting element, each in order of arrival.
    private var waiting: [Owner: Deque<Element>] = [:]
    /// The owners in `waiting`, the next one first.
    private var turns: Deque<Owner> = []
    /// Contains only owners with a running element.
    private var running: [Owner: Int] = [:]
    package private(set) var runningCount = 0
    package private(set) var count = 0

    /// - Parameters:
    ///   - workers: the maximum number of elements that run at once.
    ///   - workersOfOwner: the maximum number of these that belong to one owner.
    ///   - waiting: the maximum number of elements that wait. One owner gets at most half of it.
    package init(workers: Int, workersOfOwner: Int, waiting: Int) {
        self.workers = workers
        self.workersOfOwner = workersOfOwner
        room = FairShare(bytes: waiting, pieces: waiting)
    }

    /// Adds the element, or returns false if the queue or the owner's share of it is full.
    package mutating func offer(_ element: Element, from owner: Owner) -> Bool {
        guard room.take(1, from: owner) else { return false }
        if waiting[owner] == nil { turns.append(owner) }
        waiting[owner, default: []].append(element)
        count += 1
        return true
    }

    /// Whether `next` would return an element.
    package var hasNext: Bool { runningCount < workers && turns.contains(where: mayRun) }

    /// Takes the first element of the owner whose turn it is. The caller runs it and then calls `ended`.
    package mutating func next() -> (owner: Owner, element: Element)? {
        guard runningCount < workers, let index = turns.firstIndex(where: mayRun) else { return nil }
        let owner = turns.remove(at: index)
        guard let element = waiting[owner]?.popFirst() else { return nil }
        if waiting[owner]?.isEmpty ?? true {
            waiting[owner] = nil
        } else {
            turns.append(owner)
        }
        count -= 1
        room.giveBack(1, to: owner)
        runningCount += 1
        running[owner, default: 0] += 1
        return (owner, element)
    }

    /// An element that `next` returned has ended.
    package mutating func ended(_ owner: Owner) {
        guard let own = running[owner] else { return }
        runningCount -= 1
        running[owner] = own > 1 ? own - 1 : nil
    }

    /// Takes all waiting elements, in no particular order. They do not run.
    package mutating func removeAll() -> [Element] {
        let all = waiting.values.flatMap { $0 }
        for (owner, own) in waiting { for _ in own { room.giveBack(1, to: owner) } }
        (waiting, turns, count) = ([:], [], 0)
        return all
    }

    private func mayRun(_ owner: Owner) -> Bool { running[owner, default: 0] < workersOfOwner }
}
