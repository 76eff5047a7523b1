import EventModel
import FanoutSamples
import Testing

@testable import WSFanout

/// Random interleavings of commits, slow sockets, lost connections, resumes and late store pages. Whatever happens,
/// every client ends with exactly the committed events that match its filter, in order, none twice.
@Suite("Hub under random interleavings")
struct HubPropertyTests {
    @Test("no hole, no repeat, no disorder", arguments: UInt64(1)...60)
    func exactDelivery(seed: UInt64) {
        let world = World(seed: seed)
        for _ in 0..<300 { world.step() }
        world.settle()
        for client in world.clients {
            let expected = world.log.filter { $0.seq > client.origin && client.filter.matches($0) }.map(\.seq)
            #expect(client.received == expected, "client \(client.number), seed \(seed)")
        }
        #expect(world.sentWhileBlocked == 0)
        #expect(world.hub.liveCount == world.clients.count)
        #expect(world.hub.blocked.isEmpty)
        #expect(world.hub.fetches.isEmpty && world.hub.line.isEmpty)
        #expect(world.hub.ring.bytes <= world.hub.limits.ringBytes)
        #expect(world.mostUnsent <= 1300)
    }

    @Test("the interleavings reach ring, store, shared pages, lost sockets and missed batches")
    func reach() {
        var total = HubMetrics()
        var resumes = 0
        for seed in UInt64(101)...115 {
            let world = World(seed: seed)
            for _ in 0..<300 { world.step() }
            world.settle()
            total.replayedFromRing += world.hub.metrics.replayedFromRing
            total.replayedFromStore += world.hub.metrics.replayedFromStore
            total.pagesShared += world.hub.metrics.pagesShared
            total.pagesFailed += world.hub.metrics.pagesFailed
            resumes += world.resumes
        }
        #expect(total.replayedFromRing > 400)
        #expect(total.replayedFromStore > 400)
        #expect(total.pagesShared > 20)
        #expect(total.pagesFailed > 20)
        #expect(resumes > 100)
    }
}

private final class Client {
    let number: Int
    let transport: Transport
    let filter: EventFilter
    /// Where its stream began, and all it got since, over all its connections.
    var origin: Int64 = 0
    var received: [Int64] = []
    var link: Int?

    init(number: Int, transport: Transport, filter: EventFilter) {
        self.number = number
        self.transport = transport
        self.filter = filter
    }

    var cursor: Int64 { received.last ?? origin }
}

/// A store, a hub, and clients behind sockets that fill up, drain and break at random.
private final class World: HubOutput {
    private var random: SeededGenerator
    private(set) var log: [EncodedEvent] = []
    /// Events of the log that are not whole, as the store has them.
    private var whole: [Int64: EncodedEvent] = [:]
    private(set) var clients: [Client] = []
    private var byLink: [Int: Client] = [:]
    private var full: Set<Int> = []
    private var broken: Set<Int> = []
    private var requests: [PageRequest] = []
    private var lastLink = 0
    private var clock = start
    private var isSettling = false
    private(set) var sentWhileBlocked = 0
    private(set) var mostUnsent = 0
    private(set) var resumes = 0
    private var built: Hub<World>?

    var hub: Hub<World> {
        if let built { return built }
        var limits = HubLimits()
        limits.ringEvents = 12
        limits.ringBytes = 12_000
        limits.batchBytes = 1300
        limits.pageEvents = 7
        limits.pageCacheBytes = 8000
        limits.concurrentPages = 2
        limits.stallSeconds = 25
        let hub = Hub(
            window: StreamWindow(epoch: epoch, oldest: 0, head: log.last?.seq ?? 0),
            output: self,
            limits: limits,
            now: start
        )
        built = hub
        return hub
    }

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        for _ in 0..<Int.random(in: 0...30, using: &random) { commit() }
    }

    func step() {
        switch Int.random(in: 0..<100, using: &random) {
        case ..<30: publish()
        case ..<38: connectNew()
        case ..<46: breakLink()
        case ..<62: resume()
        case ..<82: drain()
        case ..<96: answer()
        default: tick()
        }
    }

    /// Lets everything come to rest: sockets take all, the store answers, lost clients come back.
    func settle() {
        isSettling = true
        publish(isMissed: false)
        for _ in 0..<2000 {
            while full.count > 0 { drain() }
            for client in clients where client.link == nil { connect(client) }
            while !requests.isEmpty { answer() }
            tick()
            if clients.allSatisfy({ $0.link != nil }), hub.liveCount == clients.count { return }
        }
    }

    private func commit() {
        let seq = (log.last?.seq ?? 0) + 1
        let type: EventType = Bool.random(using: &random) ? .tool : .prompt
        let session = ["a", "b", nil].randomElement(using: &random) ?? nil
        let size = Int.random(in: 2...300, using: &random)
        let isWhole = Int.random(in: 0..<8, using: &random) > 0
        log.append(encoded(seq, type: type, session: session, payloadBytes: size, isWhole: isWhole))
        if !isWhole { whole[seq] = encoded(seq, type: type, session: session, payloadBytes: size) }
    }

    /// Now and then a batch is committed elsewhere and never published here.
    private func publish(isMissed: Bool? = nil) {
        let hub = hub
        let count = log.count
        for _ in 0..<Int.random(in: 1...6, using: &random) { commit() }
        if isMissed ?? (Int.random(in: 0..<12, using: &random) == 0) { return }
        hub.publish(Array(log[count...]))
    }

    private func connectNew() {
        guard clients.count < 8 else { return }
        let client = Client(
            number: clients.count,
            transport: Transport.allCases.randomElement(using: &random) ?? .jsonRPC,
            filter: [.all, .all, EventFilter(sessionID: "a"), EventFilter(types: [.prompt])]
                .randomElement(using: &random) ?? .all
        )
        let head = hub.window.head
        client.origin = Bool.random(using: &random) ? head : Int64.random(in: 0...max(0, head), using: &random)
        clients.append(client)
        connect(client)
    }

    private func connect(_ client: Client) {
        lastLink += 1
        client.link = lastLink
        byLink[lastLink] = client
        let resolved = hub.window.resolve(ResumePoint(epoch: epoch, seq: client.cursor))
        precondition(resolved.recovered)
        hub.subscribe(lastLink, transport: client.transport, filter: client.filter, after: resolved.position)
    }

    private func breakLink() {
        guard let client = clients.randomElement(using: &random), let link = client.link else { return }
        if Bool.random(using: &random) {
            broken.insert(link)
        } else {
            forget(link)
            hub.remove(link)
        }
    }

    private func resume() {
        let lost = clients.filter { $0.link == nil }
        guard let client = lost.randomElement(using: &random) else { return }
        resumes += 1
        connect(client)
    }

    private func drain() {
        guard let link = full.sorted().randomElement(using: &random) else { return }
        full.remove(link)
        hub.drained(link)
    }

    private func answer() {
        guard let index = requests.indices.randomElement(using: &random) else { return }
        let request = requests.remove(at: index)
        if !isSettling, Int.random(in: 0..<5, using: &random) == 0 { return hub.pageFailed(request.ticket) }
        let all = log.filter {
            $0.seq > request.after && $0.seq <= request.through && request.filter.matches($0)
        }.map { request.isForDialect ? whole[$0.seq] ?? $0 : $0 }
        let most = Int.random(in: 1...request.maxEvents, using: &random)
        hub.supply(request.ticket, events: Array(all.prefix(most)), isComplete: all.count <= most)
    }

    private func tick() {
        clock = clock.adding(seconds: 1)
        hub.tick(now: clock, time: clock, report: report)
    }

    private func forget(_ link: Int) {
        byLink[link]?.link = nil
        byLink[link] = nil
        full.remove(link)
        broken.remove(link)
    }

    func send(_ bytes: [UInt8], to link: Int) -> OutputResult {
        guard let client = byLink[link] else { return .gone }
        if broken.contains(link) {
            forget(link)
            return .gone
        }
        if full.contains(link) { sentWhileBlocked += 1 }
        // In a dialect an event may be several notifications of one place.
        for seq in seqs(in: bytes, client.transport) {
            if client.transport != .dialect || client.received.last != seq { client.received.append(seq) }
        }
        guard !isSettling, Int.random(in: 0..<3, using: &random) == 0 else { return .sent }
        full.insert(link)
        mostUnsent = max(mostUnsent, bytes.count)
        return .waiting(bytes: bytes.count)
    }

    func close(_ link: Int, _ code: CloseCode) { forget(link) }

    func frame(of notice: PresenceNotice, at time: Timestamp) -> [UInt8] { [] }

    func requestPage(_ request: PageRequest) { requests.append(request) }
}
