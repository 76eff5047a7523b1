public import EventModel
import JSON
import Synchronization

/// A committed event in the bytes that leave the server: made once, off the network loop, and shared by every loop,
/// ring and subscriber.
///
/// The event's JSON is kept once, inside the complete JSON-RPC frame, the form that most subscribers get:
///
///     frame = WebSocket header, {"jsonrpc":"2.0","method":"event/<type>","params": , event JSON , }
///
/// The other forms are a few bytes put around the same JSON when they are needed, but for cdev's, which is kept.
public final class EncodedEvent: Sendable {
    public let epoch: String
    public let seq: Int64
    public let type: EventType
    public let sessionID: String?
    public let workspaceID: String?
    let frame: [UInt8]
    private let jsonRange: Range<Int>
    /// The event without its payload, which is in `frame`.
    private let committed: CommittedEvent
    private let payloadLength: Int
    /// Made when the first cdev client wants it.
    private let cdevFrames = Mutex<[UInt8]?>(nil)

    public init(_ committed: CommittedEvent, epoch: String) {
        self.epoch = epoch
        seq = committed.seq
        type = committed.event.type
        sessionID = committed.event.sessionID
        workspaceID = committed.workspaceID

        var writer = JSONWriter(reserving: committed.event.payload.count + 512)
        committed.write(to: &writer, epoch: epoch)
        let json = writer.bytes
        var opening = [UInt8](#"{"jsonrpc":"2.0","method":"#.utf8)
        JSONEscaping.appendQuoted("event/\(type.rawValue)".utf8, to: &opening)
        opening.append(contentsOf: #","params":"#.utf8)

        let length = opening.count + json.count + 1
        var frame: [UInt8] = []
        frame.reserveCapacity(length + 10)
        WebSocketFrame.appendTextHeader(payloadLength: length, to: &frame)
        frame.append(contentsOf: opening)
        let start = frame.count
        frame.append(contentsOf: json.lazy.map(EncodedEvent.spaceForLineBreak))
        jsonRange = start..<frame.count
        frame.append(UInt8(ascii: "}"))
        self.frame = frame

        var bare = committed
        bare.event.payload = []
        self.committed = bare
        payloadLength = committed.event.payload.count
    }

    /// The payload is the last member of the event's JSON.
    private func framesForCdev() -> [UInt8] {
        if let known = cdevFrames.withLock({ $0 }) { return known }
        var whole = committed
        whole.event.payload = Array(json.dropLast().suffix(payloadLength))
        let frames = CdevFrames.of(whole, epoch: epoch, plain: frame)
        cdevFrames.withLock { $0 = frames }
        return frames
    }

    /// The normalized event.
    public var json: ArraySlice<UInt8> { frame[jsonRange] }

    /// What it costs to keep, in bytes; the objects around the buffer are estimated, and cdev's form is not counted.
    var footprint: Int { frame.count + 256 }

    /// An upper bound of what `append` adds.
    func encodedLength(for transport: Transport) -> Int {
        switch transport {
        case .jsonRPC: frame.count
        case .cdev: framesForCdev().count
        case .plainWebSocket: jsonRange.count + 10
        case .serverSentEvents: jsonRange.count + epoch.utf8.count + type.rawValue.utf8.count + 48
        }
    }

    func append(for transport: Transport, to bytes: inout [UInt8]) {
        switch transport {
        case .jsonRPC:
            bytes.append(contentsOf: frame)
        case .cdev:
            bytes.append(contentsOf: framesForCdev())
        case .plainWebSocket:
            WebSocketFrame.appendTextHeader(payloadLength: jsonRange.count, to: &bytes)
            bytes.append(contentsOf: json)
        case .serverSentEvents:
            let position = StreamPosition(epoch: epoch, seq: seq)
            ServerSentEvents.appendBlock(position: position, event: type.rawValue, data: json, to: &bytes)
        }
    }

    /// Line breaks would end a `data:` line. Outside strings, where JSON allows them raw, they mean as much as a space.
    private static func spaceForLineBreak(_ byte: UInt8) -> UInt8 {
        byte == 0x0A || byte == 0x0D ? 0x20 : byte
    }
}
