import CMimalloc
import EventModel
import Glibc
import HTTPModel
import Listener
import Logging
import WSFanout

/// The server's fan-out by itself, which does what the yardsticks do: what is posted becomes an event as it is,
/// unread, gets the next place in a log that nobody keeps, and goes to every WebSocket before the post is answered.
/// What has come in one turn of the loop goes together, as what shares a commit does. It asks nobody who they are. Not
/// installed.
///
/// usage: FanoutBench PORT
///
/// Whoever connects gets every event from then on. It stays until it is terminated.
final class Handler: RequestHandler {
    private static let epoch = "0190b7c4-0000-7000-8000-000000000000"
    private static let session = "0190b7c4-0000-7000-8000-000000000001"
    private static let machine = MachineID(rawValue: 1)
    /// So long that frames have the length that the server gives them for the benchmark's hooks.
    private static let summary = String(repeating: "x", count: 109)
    private static let workspace = WorkspaceID.make(machine: machine, path: "/bench")

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

    func admit(_ request: HTTPRequest, bodyLength: Int?, on loop: isolated NetworkLoop) -> Admission {
        .read(limit: 1 << 20)
    }

    func handle(_ request: HTTPRequest, exchange: ExchangeID, on loop: isolated NetworkLoop) {
        let seq = hub.window.head + Int64(events.count) + 1
        let event = Handler.event(UInt64(seq), request.body)
        let committed = CommittedEvent(seq: seq, event: event, workspaceID: Handler.workspace)
        events.append(EncodedEvent(committed, epoch: Handler.epoch))
        answers.append((exchange, HTTPResponse(status: 202, body: Array("{}".utf8))))
    }

    /// What was posted as it is, as the payload of an event.
    private static func event(_ number: UInt64, _ payload: [UInt8]) -> MonitorEvent {
        let now = now()
        return MonitorEvent(
            id: EventID(high: 0x0190_b7c4_0000_7000, low: 0x8000_0000_0000_0000 | number),
            type: .tool,
            hookEventName: HookEventName("PostToolUse"),
            timestamp: now,
            receivedAt: now,
            machine: machine,
            machineName: "bench",
            sessionID: session,
            projectPath: "/bench",
            toolName: "Bash",
            summary: summary,
            payload: payload,
            facts: SessionFacts()
        )
    }

    func turnEnded(on loop: isolated NetworkLoop) {
        guard !answers.isEmpty else { return }
        hub.publish(events)
        loop.respond(answers)
        events = []
        answers = []
    }

    func upgrade(_ request: HTTPRequest, on loop: isolated NetworkLoop) -> UpgradeDecision { .accept }

    func opened(_ channel: ChannelID, request: HTTPRequest, on loop: isolated NetworkLoop) {
        hub.attach(channel, transport: .jsonRPC)
        hub.subscribe(channel, transport: .jsonRPC, filter: .all, after: hub.window.position)
    }

    func received(_ message: [UInt8], isText: Bool, from channel: ChannelID, on loop: isolated NetworkLoop) {}

    func drained(_ channel: ChannelID, on loop: isolated NetworkLoop) { hub.drained(channel) }

    func closed(_ channel: ChannelID, on loop: isolated NetworkLoop) { hub.remove(channel) }

    func tick(on loop: isolated NetworkLoop) {
        let now = Handler.now()
        hub.tick(now: now, time: now, report: HeartbeatReport(claudeStatus: "idle", uptimeSeconds: 0))
    }
}

/// There is no store behind it: whoever falls further behind than the ring reaches is never fed again.
struct Sockets: HubOutput {
    let loop: NetworkLoop

    func send(_ bytes: [UInt8], to channel: ChannelID) -> OutputResult {
        result(loop.assumeIsolated { loop in loop.send(bytes, to: channel) })
    }

    func send(_ bytes: [UInt8], toAll channels: [ChannelID]) -> [(subscriber: ChannelID, result: OutputResult)] {
        loop.assumeIsolated { loop in loop.send(bytes, toAll: channels) }.map { ($0.channel, result($0.outcome)) }
    }

    private func result(_ outcome: SendOutcome) -> OutputResult {
        switch outcome {
        case .sent: .sent
        case .waiting(let bytes): .waiting(bytes: bytes)
        case .gone: .gone
        }
    }

    func close(_ channel: ChannelID, _ code: CloseCode) {
        loop.assumeIsolated { loop in loop.close(channel, code: code.number, reason: code.reason) }
    }

    func frame(of notice: PresenceNotice, at time: Timestamp) -> [UInt8] { [] }

    func requestPage(_ request: PageRequest) {}
}

guard CommandLine.arguments.count == 2, let port = UInt16(CommandLine.arguments[1]), mi_version() > 0
else {
    print("usage: FanoutBench PORT")
    exit(2)
}
/// As many descriptors as the system lets it have.
var limit = rlimit()
getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
limit.rlim_cur = min(limit.rlim_max, 1 << 16)
setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)

var logger = Logger(label: "fanout-bench")
logger.logLevel = .critical
let configuration = ListenerConfiguration(addresses: [.tcp(host: "127.0.0.1", port: port)])
let loop = NetworkLoop(
    configuration: configuration,
    logger: logger,
    makeHandler: { Handler(loop: $0) }
)
_ = try loop.start()
while true { pause() }
