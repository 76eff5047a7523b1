import EventModel
import WSFanout

/// Sockets that keep what they got and answer as they are told.
public final class RecordingOutput: HubOutput {
    public var sent: [Int: [[UInt8]]] = [:]
    public var closed: [Int: CloseCode] = [:]
    public var requests: [PageRequest] = []
    /// What a socket answers; `.sent` where nothing is said.
    public var results: [Int: OutputResult] = [:]

    public init() {}

    public func send(_ bytes: [UInt8], to subscriber: Int) -> OutputResult {
        let result = results[subscriber] ?? .sent
        if result != .gone { sent[subscriber, default: []].append(bytes) }
        return result
    }

    public func close(_ subscriber: Int, _ code: CloseCode) { closed[subscriber] = code }

    /// Each notice as a text frame of its kind and its client.
    public func frame(of notice: PresenceNotice, at time: Timestamp) -> [UInt8] {
        WebSocketFrame.text(#"{"kind":"\#(notice.kind)","client":"\#(notice.clientID)"}"#.utf8)
    }

    public func requestPage(_ request: PageRequest) { requests.append(request) }

    public func seqs(_ subscriber: Int, _ transport: Transport = .jsonRPC) -> [Int64] {
        FanoutSamples.seqs(in: (sent[subscriber] ?? []).flatMap(\.self), transport)
    }
}

public let start = Timestamp(microseconds: 1_767_607_200_000_000)
public let report = HeartbeatReport(claudeStatus: "idle", uptimeSeconds: 5)

public func makeHub(
    _ output: RecordingOutput,
    head: Int64 = 0,
    oldest: Int64 = 0,
    _ change: (inout HubLimits) -> Void = { _ in }
) -> Hub<RecordingOutput> {
    var limits = HubLimits()
    change(&limits)
    let window = StreamWindow(epoch: epoch, oldest: oldest, head: head)
    return Hub(window: window, output: output, limits: limits, now: start)
}

extension Hub {
    public func subscribe(
        _ subscriber: Subscriber,
        _ transport: Transport = .jsonRPC,
        _ filter: EventFilter = .all,
        after seq: Int64? = nil
    ) {
        let position = StreamPosition(epoch: epoch, seq: seq ?? window.head)
        subscribe(subscriber, transport: transport, filter: filter, after: position)
    }
}
