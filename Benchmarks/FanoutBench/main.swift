import CMimalloc
import EventIngest
import EventModel
import Glibc
import HTTPModel
import Listener
import Logging
import WSFanout

/// The server's way from a post to its subscribers without the database: what is posted is read, gets the next place in
/// a log that nobody keeps, and goes to every WebSocket before the post is answered. What has come in one turn of the
/// loop goes together, as what shares a commit does. It asks nobody who they are. Not installed.
///
/// usage: FanoutBench PORT CORE
///
/// The loop keeps to that core, as the server's with `MONITOR_NET_CPUS`; -1: to none.
///
/// Whoever connects gets every event from then on. It stays until it is terminated.
final class Handler: RequestHandler {
    private static let machine = MachineID(rawValue: 1)
    private static let epoch = "0190b7c4-0000-7000-8000-000000000000"
    /// The server knows it from the session's first event.
    private static let workspace = WorkspaceID.make(machine: machine, path: "/bench")

    private let decoder = IngestDecoder(configuration: IngestConfiguration())
    private let hub: Hub<Sockets>
    private var events: [EncodedEvent] = []
    private var answers: [(exchange: ExchangeID, response: HTTPResponse)] = []

    init(loop: NetworkLoop) {
        let window = StreamWindow(epoch: Handler.epoch, oldest: 0, head: 0)
        hub = Hub(window: window, output: Sockets(loop: loop), now: Handler.now())
    }

    private static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }

    func admit(_ request: HTTPRequest, bodyLength: Int, on loop: isolated NetworkLoop) -> Admission {
        .read(limit: 1 << 20)
    }

    func handle(_ request: HTTPRequest, exchange: ExchangeID, on loop: isolated NetworkLoop) {
        do throws(APIError) {
            answers.append((exchange, try take(request)))
        } catch {
            answers.append((exchange, error.response(requestID: request.requestID)))
        }
    }

    func turnEnded(on loop: isolated NetworkLoop) {
        guard !answers.isEmpty else { return }
        hub.publish(events)
        loop.respond(answers)
        events = []
        answers = []
    }

    private func take(_ request: HTTPRequest) throws(APIError) -> HTTPResponse {
        let items = try decoder.decodeEvents(
            body: request.body,
            contentType: request.headers["content-type"],
            contentEncoding: nil,
            machine: Handler.machine,
            machineName: "bench",
            now: Handler.now()
        )
        let outcomes = items.map { item in
            switch item {
            case .rejected(let eventID, let error): return IngestOutcome.rejected(eventID: eventID, error)
            case .event(let event, _):
                let seq = hub.window.head + Int64(events.count) + 1
                let committed = CommittedEvent(seq: seq, event: event, workspaceID: Handler.workspace)
                events.append(EncodedEvent(committed, epoch: Handler.epoch))
                return .accepted(eventID: event.id.description, seq: seq)
            }
        }
        return IngestAnswer(outcomes: outcomes).response(requestID: request.requestID)
    }

    func upgrade(_ request: HTTPRequest, on loop: isolated NetworkLoop) -> UpgradeDecision { .accept }

    func opened(_ link: LinkID, request: HTTPRequest, on loop: isolated NetworkLoop) {
        hub.attach(link, transport: .jsonRPC)
        hub.subscribe(link, transport: .jsonRPC, filter: .all, after: hub.window.position)
    }

    func received(_ message: [UInt8], isText: Bool, from link: LinkID, on loop: isolated NetworkLoop) {}

    func drained(_ link: LinkID, on loop: isolated NetworkLoop) { hub.drained(link) }

    func closed(_ link: LinkID, on loop: isolated NetworkLoop) { hub.remove(link) }

    func tick(on loop: isolated NetworkLoop) {
        let now = Handler.now()
        hub.tick(now: now, time: now, report: HeartbeatReport(claudeStatus: "idle", uptimeSeconds: 0))
    }
}

/// There is no store behind it: whoever falls further behind than the ring reaches is never fed again.
struct Sockets: HubOutput {
    let loop: NetworkLoop

    func send(_ bytes: [UInt8], to link: LinkID) -> OutputResult {
        result(loop.assumeIsolated { loop in loop.send(bytes, to: link) })
    }

    func send(_ bytes: [UInt8], toAll links: [LinkID]) -> [(subscriber: LinkID, result: OutputResult)] {
        loop.assumeIsolated { loop in loop.send(bytes, toAll: links) }.map { ($0.link, result($0.outcome)) }
    }

    private func result(_ outcome: SendOutcome) -> OutputResult {
        switch outcome {
        case .sent: .sent
        case .waiting(let bytes): .waiting(bytes: bytes)
        case .gone: .gone
        }
    }

    func close(_ link: LinkID, _ code: CloseCode) {
        loop.assumeIsolated { loop in loop.close(link, code: code.number, reason: code.reason) }
    }

    func tellOtherHubs(_ notice: PresenceNotice) {}

    func requestPage(_ request: PageRequest) {}
}

guard CommandLine.arguments.count == 3, let port = UInt16(CommandLine.arguments[1]),
    let core = Int(CommandLine.arguments[2]), mi_version() > 0
else {
    print("usage: FanoutBench PORT CORE")
    exit(2)
}
/// As many descriptors as the system lets it have.
var limit = rlimit()
getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
limit.rlim_cur = min(limit.rlim_max, 1 << 16)
setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)

var logger = Logger(label: "fanout-bench")
logger.logLevel = .critical
let loop = NetworkLoop(
    configuration: ListenerConfiguration(addresses: [.tcp(host: "127.0.0.1", port: port)]),
    core: core < 0 ? nil : core,
    logger: logger,
    makeHandler: { Handler(loop: $0) }
)
_ = try loop.start()
while true { pause() }
