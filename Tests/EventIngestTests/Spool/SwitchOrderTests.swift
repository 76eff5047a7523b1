import EventModel
import Persistence
import Testing

@testable import EventIngest

/// Machines that post one event after another, each again until it is acknowledged; a gate between them and a database
/// that comes and goes; a spool that is a list. Every step is drawn by lot.
private struct SwitchModel {
    struct Post: Equatable {
        var machine: Int
        var number: Int
    }

    var random: SplitMix
    var gate = SpoolGate(byteLimit: 40)
    var isUp = true
    var committed: [Post] = []
    var unwritten: [Post] = []
    var durable: [Post] = []
    /// In the writer's queue, with its answer outstanding.
    var inDatabase: [Post] = []
    var acknowledged = [Int](repeating: 0, count: 4)
    var waiting = Set<Int>()
    var refusals = 0
    let now = Timestamp(microseconds: 0)

    init(seed: UInt64) {
        random = SplitMix(state: seed)
        gate.open(events: 0, bytes: 0, fileBytes: 0)
    }

    mutating func step() {
        switch Int.random(in: 0..<12, using: &random) {
        case 0...4: post(Int.random(in: 0..<4, using: &random))
        case 5, 6: answerDatabase()
        case 7, 8: writeSpool()
        case 9, 10: replay()
        default: if Int.random(in: 0..<4, using: &random) == 0 { isUp.toggle() } else { crash() }
        }
    }

    private mutating func post(_ machine: Int) {
        guard !waiting.contains(machine) else { return }
        let post = Post(machine: machine, number: acknowledged[machine] + 1)
        switch gate.decision(isWriterAvailable: isUp, now: now) {
        case .database:
            inDatabase.append(post)
            waiting.insert(machine)
        case .spool: spool(post)
        case .refuse: refusals += 1
        }
    }

    private mutating func spool(_ post: Post) {
        guard gate.admit(events: 1, bytes: 1, now: now) else {
            waiting.remove(post.machine)
            refusals += 1
            return
        }
        waiting.insert(post.machine)
        unwritten.append(post)
    }

    private mutating func acknowledge(_ post: Post) {
        #expect(committed.contains(post) || durable.contains(post))
        acknowledged[post.machine] = post.number
        waiting.remove(post.machine)
    }

    private mutating func answerDatabase() {
        let posts = inDatabase
        inDatabase = []
        for post in posts {
            if isUp {
                commit(post)
                acknowledge(post)
            } else {
                if Bool.random(using: &random) { commit(post) }
                spool(post)
            }
        }
    }

    /// Twice is once: the database knows an event by its id.
    private mutating func commit(_ post: Post) {
        if !committed.contains(post) { committed.append(post) }
    }

    private mutating func writeSpool() {
        guard !unwritten.isEmpty else { return }
        let count = Int.random(in: 1...unwritten.count, using: &random)
        let posts = Array(unwritten.prefix(count))
        unwritten.removeFirst(count)
        if Int.random(in: 0..<4, using: &random) == 0 {
            gate.failed(events: count, bytes: count, SpoolError(.callFailed, "write", "x"), at: now)
            gate.removedFile(bytes: 0)
            for post in posts { waiting.remove(post.machine) }
        } else {
            durable += posts
            gate.wrote(events: count, bytes: count)
            for post in posts { acknowledge(post) }
        }
    }

    private mutating func replay() {
        guard isUp, !durable.isEmpty else { return }
        let count = Int.random(in: 1...durable.count, using: &random)
        for post in durable.prefix(count) { commit(post) }
        durable.removeFirst(count)
        gate.settled(events: count, bytes: count)
        gate.removedFile(bytes: count)
    }

    /// Only what is durable or committed is still there. The machines see no answer and post again.
    private mutating func crash() {
        if isUp { for post in inDatabase where Bool.random(using: &random) { commit(post) } }
        unwritten = []
        inDatabase = []
        waiting = []
        gate = SpoolGate(byteLimit: gate.byteLimit)
        gate.open(events: durable.count, bytes: durable.count, fileBytes: durable.count)
    }

    mutating func drain() {
        isUp = true
        while !inDatabase.isEmpty || !unwritten.isEmpty || !durable.isEmpty {
            answerDatabase()
            writeSpool()
            replay()
        }
    }
}

@Suite("Order across the switch", .timeLimit(.minutes(5)))
struct SwitchOrderTests {
    @Test("each machine's events are committed once, in order, and none that was acknowledged is missing")
    func model() {
        var refusals = 0
        for seed in 0..<200 {
            var model = SwitchModel(seed: UInt64(seed))
            for _ in 0..<400 { model.step() }
            model.drain()
            for machine in 0..<4 {
                let numbers = model.committed.filter { $0.machine == machine }.map(\.number)
                #expect(numbers == Array(1..<(numbers.count + 1)), "seed \(seed)")
                #expect(numbers.count >= model.acknowledged[machine], "seed \(seed)")
            }
            #expect(model.gate.decision(isWriterAvailable: true, now: model.now) == .database)
            refusals += model.refusals
        }
        #expect(refusals > 0)
    }

    @Test("the same with files, threads and a database that goes away in the middle of batches")
    func real() async throws {
        let directory = TemporaryDirectory()
        let store = FakeStore()
        let spool = try EventSpool.started(directory, store: store) {
            $0.segmentBytes = 8000
            $0.batchEvents = 7
        }
        defer { spool.stop() }
        await withTaskGroup(of: Void.self) { group in
            for machine in 1...4 {
                group.addTask {
                    for number in 1...150 {
                        store.change()
                        await Self.post(machine, number, spool, store)
                    }
                }
            }
        }
        store.set(isUp: true)
        #expect(await eventually { spool.status.events == 0 })
        for machine in 1...4 {
            let numbers = store.committed.filter { $0.high == UInt64(machine) }.map { Int($0.low) }
            #expect(numbers == Array(1...150))
        }
        #expect(spool.status.counts.spooled > 0)
    }

    /// Until it is acknowledged.
    private static func post(_ machine: Int, _ number: Int, _ spool: EventSpool, _ store: FakeStore) async {
        let event = Samples.event(number, machine: Int64(machine))
        while true {
            switch spool.decision(isWriterAvailable: store.isUp) {
            case .database: if store.commit([event]) == [.accepted(seq: 1)] { return }
            case .spool: break
            case .refuse:
                try? await Task.sleep(for: .milliseconds(1))
                continue
            }
            switch await spool.append([event]) {
            case .durable?: return
            case .notNeeded?: if store.commit([event]) == [.accepted(seq: 1)] { return }
            case .failed?, nil: await Task.yield()
            }
        }
    }
}
