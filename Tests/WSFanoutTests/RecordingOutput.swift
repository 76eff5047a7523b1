import EventModel

@testable import WSFanout

/// Sockets that keep what they got and answer as they are told.
final class RecordingOutput: HubOutput {
    var sent: [Int: [[UInt8]]] = [:]
    var closed: [Int: CloseCode] = [:]
    var requests: [PageRequest] = []
    var told: [PresenceNotice] = []
    /// What a socket answers; `.sent` where nothing is said.
    var results: [Int: OutputResult] = [:]

    func send(_ bytes: [UInt8], to subscriber: Int) -> OutputResult {
        let result = results[subscriber] ?? .sent
        if result != .gone { sent[subscriber, default: []].append(bytes) }
        return result
    }

    func close(_ subscriber: Int, _ code: CloseCode) { closed[subscriber] = code }

    func tellOtherHubs(_ notice: PresenceNotice) { told.append(notice) }

    func requestPage(_ request: PageRequest) { requests.append(request) }

    func seqs(_ subscriber: Int, _ transport: Transport = .jsonRPC) -> [Int64] {
        WSFanoutTests.seqs(in: (sent[subscriber] ?? []).flatMap(\.self), transport)
    }
}

let start = Timestamp(microseconds: 1_767_607_200_000_000)
let report = HeartbeatReport(claudeStatus: "idle", uptimeSeconds: 5)

func makeHub(
    _ output: RecordingOutput,
    head: Int64 = 0,
    oldest: Int64 = 0,
    presence: SharedPresence = SharedPresence(),
    _ change: (inout HubLimits) -> Void = { _ in }
) -> Hub<RecordingOutput> {
    var limits = HubLimits()
    change(&limits)
    let window = StreamWindow(epoch: epoch, oldest: oldest, head: head)
    return Hub(window: window, output: output, presence: presence, limits: limits, now: start)
}

extension Hub {
    func subscribe(
        _ subscriber: Subscriber,
        _ transport: Transport = .jsonRPC,
        _ filter: EventFilter = .all,
        after seq: Int64? = nil
    ) {
        let position = StreamPosition(epoch: epoch, seq: seq ?? window.head)
        subscribe(subscriber, transport: transport, filter: filter, after: position)
    }
}
