import EventModel
import Foundation
import Logging
import PushGateway
import Signing
import Synchronization

/// Pushes through the server's own APNs client for a while and prints what came of it, as JSON. Not installed.
///
/// usage: PushBench --port N --ca FILE [--connections 1] [--streams 100] [--seconds 5] [--bytes 600] [--fill yes]
///
/// At any time as many pushes are handed in as fit on all streams twice; with `--fill yes` as many as the client's
/// queue takes. Each of them is a request of its own, and one that has ended is handed in again.
struct Arguments {
    var values: [String: String] = [:]

    init(_ words: [String]) {
        for index in stride(from: 0, to: words.count - 1, by: 2) { values[words[index]] = words[index + 1] }
    }

    func integer(_ name: String, _ standard: Int) -> Int { values[name].flatMap { Int($0) } ?? standard }
    func number(_ name: String, _ standard: Double) -> Double { values[name].flatMap { Double($0) } ?? standard }
}

func now() -> Timestamp { Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000)) }
func monotonic() -> Double { Double(DispatchTime.now().uptimeNanoseconds) / 1_000_000_000 }

func cpuSeconds() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

/// Resident, in KiB.
func memory() -> Int {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * Int(getpagesize()) / 1024
}

/// Hands in a push for each that ends.
final class Load: Sendable {
    struct Counts {
        var accepted = 0
        var failed = 0
        var full = 0
        var next = 0
    }

    let client: APNsClient
    let requests: [APNsRequest]
    let counts = Mutex(Counts())
    let isOver = Atomic(false)

    init(client: APNsClient, requests: [APNsRequest]) {
        self.client = client
        self.requests = requests
    }

    func submit() {
        let index = counts.withLock { counts in
            counts.next += 1
            return counts.next % requests.count
        }
        client.submit(requests[index]) { [self] outcome in
            let goesOn = counts.withLock { counts in
                switch outcome {
                case .accepted: counts.accepted += 1
                case .unsent(.queueFull):
                    counts.full += 1
                    return false
                default: counts.failed += 1
                }
                return true
            }
            if goesOn, !isOver.load(ordering: .relaxed) { submit() }
        }
    }
}

let arguments = Arguments(Array(CommandLine.arguments.dropFirst()))
let connections = arguments.integer("--connections", 1)
let streams = arguments.integer("--streams", 100)
let seconds = arguments.number("--seconds", 5)
let fills = arguments.values["--fill"] == "yes"

var configuration = APNsConfiguration()
configuration.host = "localhost"
configuration.port = UInt16(arguments.integer("--port", 0))
configuration.caFile = arguments.values["--ca"]
configuration.maxConnections = connections
configuration.maxStreams = streams
configuration.growAfter = 0
configuration.answerTimeout = 3600
configuration.stopTimeout = 0.5
// In front of a server that reads slowly a PING waits behind the pushes.
configuration.pingTimeout = 3600

var logger = Logger(label: "push-bench")
logger.logLevel = .critical
let key = ProviderKey(keyID: "ABC123DEFG", teamID: "TEAM123456", key: try ES256PrivateKey.generate())
let client = try APNsClient(
    configuration: configuration,
    tokens: ProviderTokens(key: key, path: nil, logger: logger, clock: now),
    logger: logger,
    clock: PushClock(wall: now, monotonic: monotonic)
)
let text = String(repeating: "x", count: max(0, arguments.integer("--bytes", 600) - 20))
let pending = fills ? 8192 : connections * streams * 2
let requests = try (0..<pending).map { _ in
    try APNsRequest(
        deviceToken: "00fc13adff785122",
        bundleID: "org.example.monitor",
        pushType: .alert,
        priority: .immediate,
        collapseID: "p:0123456789abcdef",
        payload: Array("{\"aps\":{\"alert\":\"\(text)\"}}".utf8),
        deadline: now().adding(seconds: 7200)
    )
}

let load = Load(client: client, requests: requests)
if fills {
    while load.counts.withLock({ $0.full }) == 0 { load.submit() }
} else {
    for _ in 0..<pending { load.submit() }
}
// Until every connection is open and every limit known.
while client.status.connections < connections, load.counts.withLock({ $0.failed }) == 0 { usleep(1000) }
usleep(200_000)

let begin = (time: monotonic(), cpu: cpuSeconds(), accepted: load.counts.withLock { $0.accepted })
var memories: [Int] = []
while monotonic() - begin.time < seconds {
    memories.append(memory())
    usleep(50_000)
}
let elapsed = monotonic() - begin.time
let cpu = cpuSeconds() - begin.cpu
let accepted = load.counts.withLock { $0.accepted } - begin.accepted
let status = client.status
load.isOver.store(true, ordering: .relaxed)
let failed = load.counts.withLock { $0.failed }
client.stop()

let quarter = max(1, memories.count / 4)
let report: [String: Double] = [
    "accepted": Double(accepted), "failed": Double(failed), "per_second": Double(accepted) / elapsed,
    "cpu_us_per_push": cpu / Double(max(1, accepted)) * 1_000_000, "connections": Double(status.connections),
    "queued": Double(status.queued), "pending_at_end": Double(client.pendingBytes),
    "memory_begin_kib": Double(memories.prefix(quarter).max() ?? 0),
    "memory_end_kib": Double(memories.suffix(quarter).max() ?? 0),
]
FileHandle.standardOutput.write(try JSONSerialization.data(withJSONObject: report, options: .sortedKeys))
print()
