import EventModel
import Foundation
import JSON
import WSFanout

public let epoch = "e1"

public func committed(
    _ seq: Int64,
    type: EventType = .tool,
    session: String? = "s1",
    workspace: String? = "ws-1",
    payload: [UInt8] = [UInt8]("{}".utf8)
) -> CommittedEvent {
    let time = Timestamp(microseconds: 1_767_607_200_000_000 + seq % 1_000_000 * 1000)
    let event = MonitorEvent(
        id: EventID(high: 7, low: UInt64(seq)),
        type: type,
        hookEventName: HookEventName("PostToolUse"),
        timestamp: time,
        receivedAt: time,
        machine: MachineID(rawValue: 1),
        machineName: "build-host",
        sessionID: session,
        projectPath: nil,
        toolName: "Bash",
        summary: "make \"all\"",
        payload: payload,
        facts: SessionFacts()
    )
    return CommittedEvent(seq: seq, event: event, workspaceID: workspace)
}

public func encoded(
    _ seq: Int64,
    type: EventType = .tool,
    session: String? = "s1",
    epoch: String = epoch,
    payloadBytes: Int = 2,
    isWhole: Bool = true
) -> EncodedEvent {
    let padding = String(repeating: "x", count: max(0, payloadBytes - 8))
    let payload = [UInt8]((payloadBytes < 8 ? "{}" : #"{"p":"\#(padding)"}"#).utf8)
    let event = committed(seq, type: type, session: session, payload: payload)
    return EncodedEvent(event, epoch: epoch, dialect: isWhole ? SampleDialect.shared : PartialDialect.shared)
}

/// Says each event twice.
private final class SampleDialect: EventDialect {
    static let shared = SampleDialect()

    func frames(of event: CommittedEvent, epoch: String, plain: [UInt8]?) -> [UInt8] {
        WebSocketFrame.text(#"{"seq":\#(event.seq),"more":true}"#.utf8) + (plain ?? [])
    }
}

/// Must not be asked for frames.
private final class PartialDialect: EventDialect {
    static let shared = PartialDialect()

    var isWhole: Bool { false }

    func frames(of event: CommittedEvent, epoch: String, plain: [UInt8]?) -> [UInt8] {
        preconditionFailure("event \(event.seq) is sent without what only the store has")
    }
}

/// Splits concatenated server frames into their payloads; traps on what is no complete unmasked text frame.
public func payloads(ofFrames bytes: [UInt8]) -> [[UInt8]] {
    var found: [[UInt8]] = []
    var rest = bytes[...]
    while !rest.isEmpty {
        precondition(rest.removeFirst() == 0x81)
        var length = Int(rest.removeFirst())
        precondition(length <= 127)
        if length >= 126 {
            let width = length == 126 ? 2 : 8
            length = rest.prefix(width).reduce(0) { $0 << 8 | Int($1) }
            rest.removeFirst(width)
        }
        found.append([UInt8](rest.prefix(length)))
        precondition(rest.count >= length)
        rest.removeFirst(length)
    }
    return found
}

/// The seq of every event in what a subscriber got; other messages are passed over.
public func seqs(in bytes: [UInt8], _ transport: Transport) -> [Int64] {
    if transport != .serverSentEvents { _ = payloads(ofFrames: bytes) }
    let data = Data(bytes)
    let field = Data(#""seq":"#.utf8)
    var found: [Int64] = []
    var rest = data.startIndex..<data.endIndex
    while let range = data.range(of: field, in: rest) {
        let digits = data[range.upperBound...].prefix { (48...57).contains($0) }
        found.append(Int64(String(decoding: digits, as: UTF8.self)) ?? -1)
        rest = digits.endIndex..<data.endIndex
    }
    return found
}

/// JSON by another implementation than the one under test.
public func parse(_ bytes: [UInt8]) -> JSONValue? {
    (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)).flatMap(tree)
}

private func tree(_ object: Any) -> JSONValue? {
    switch object {
    case is NSNull: .null
    case let number as NSNumber: scalar(number)
    case let text as String: .string(text)
    case let array as [Any]: .array(array.compactMap(tree))
    case let members as [String: Any]:
        .object(members.sorted { $0.key < $1.key }.compactMap { name, member in tree(member).map { (name, $0) } })
    default: nil
    }
}

private func scalar(_ number: NSNumber) -> JSONValue {
    switch String(cString: number.objCType) {
    case "c", "B": .bool(number.boolValue)
    case "d", "f": .number(number.doubleValue)
    default: .integer(number.int64Value)
    }
}

public struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    public init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}
