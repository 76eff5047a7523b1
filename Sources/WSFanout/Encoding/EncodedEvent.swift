public import EventModel
import JSON
import Synchronization

/// A committed event in its outgoing encodings. Each is made at most once and shared by all loops, rings and
/// subscribers.
///
/// The event's JSON is stored once, inside the complete JSON-RPC frame, the form that most subscribers get:
///
///     frame = WebSocket header, {"jsonrpc":"2.0","method":"event/<type>","params": , event JSON , }
///
/// The other forms add a few bytes around the same JSON when they are needed. Only the dialect's form is stored
/// separately.
public final class EncodedEvent: Sendable {
    public let epoch: String
    public let seq: Int64
    public let type: EventType
    public let sessionID: String?
    public let workspaceID: String?
    let machine: MachineID
    let reportedMachineName: String?
    /// The estimated memory use in bytes, the same before and after encoding. It includes the objects around the
    /// buffers and excludes the dialect's form.
    let footprint: Int
    private let forms: Mutex<Forms>
    /// If `nil`, clients of a dialect get the plain frame, and sockets of one session the event alone.
    public let dialect: (any EventDialect)?

    private struct Forms {
        /// Without its payload once the whole payload is in the frame.
        var committed: CommittedEvent
        /// Made on first use. Without subscribers no frame is made.
        var frame: Frame?
        /// Made when the first client of the dialect needs them.
        var dialectFrames: [Transport: [UInt8]] = [:]
    }

    private struct Frame {
        var bytes: [UInt8]
        var json: Range<Int>
        /// `nil` if the payload is too large for a message.
        var payloadLength: Int?
    }

    public init(_ committed: CommittedEvent, epoch: String, dialect: (any EventDialect)? = nil) {
        self.dialect = dialect
        self.epoch = epoch
        seq = committed.seq
        type = committed.event.type
        sessionID = committed.event.sessionID
        workspaceID = committed.workspaceID
        machine = committed.event.machine
        reportedMachineName = committed.event.reportedMachineName
        footprint =
            committed.event.payload.count + committed.event.summary.utf8.count + 800 + (dialect?.footprint ?? 0)
        // A report may name hundreds of requests. No form shows it.
        let hasReport = committed.event.facts.report != nil
        forms = Mutex(Forms(committed: hasReport ? committed.replacing { $0.facts.report = nil } : committed))
    }

    /// Any thread. Makes the frame now, so that the loop need not make it while subscribers wait.
    public func encode() { _ = encoded }

    var frame: [UInt8] { encoded.bytes }

    /// The normalized event.
    public var json: ArraySlice<UInt8> {
        let encoded = encoded
        return encoded.bytes[encoded.json]
    }

    private var encoded: Frame {
        forms.withLock { forms in
            if let known = forms.frame { return known }
            let made = EncodedEvent.frame(of: forms.committed, epoch: epoch)
            forms.frame = made
            if made.payloadLength != nil { forms.committed = forms.committed.replacing { $0.payload = [] } }
            return made
        }
    }

    private static func frame(of committed: CommittedEvent, epoch: String) -> Frame {
        // Done here too, and not only in the writer, so that the payload's length in the frame is known.
        let payload = JSONEscaping.withoutLineSeparators(committed.event.payload)
        let isCut = payload.count > MessageLimit.payload
        var writer = JSONWriter(reserving: (isCut ? 0 : payload.count) + 512)
        committed.write(to: &writer, epoch: epoch, payload: isCut ? nil : payload, isCut: isCut)
        let json = writer.bytes
        var opening = [UInt8](#"{"jsonrpc":"2.0","method":"#.utf8)
        let method = "event/\(committed.event.type.rawValue)"
        JSONEscaping.appendQuoted(method.utf8.span, to: &opening)
        opening.append(contentsOf: #","params":"#.utf8)

        let length = opening.count + json.count + 1
        var frame: [UInt8] = []
        frame.reserveCapacity(length + 10)
        WebSocketFrame.appendTextHeader(payloadLength: length, to: &frame)
        frame.append(contentsOf: opening)
        let start = frame.count
        frame.append(contentsOf: json)
        // Line breaks would end a `data:` line. JSON allows them only outside strings, where they are equivalent to
        // spaces.
        for index in start..<frame.count where frame[index] == 0x0A || frame[index] == 0x0D { frame[index] = 0x20 }
        let range = start..<frame.count
        frame.append(UInt8(ascii: "}"))
        return Frame(bytes: frame, json: range, payloadLength: isCut ? nil : payload.count)
    }

    private func framesInDialect(for transport: Transport) -> [UInt8] {
        guard let dialect else { return transport == .dialect ? frame : [] }
        if let known = forms.withLock({ $0.dialectFrames[transport] }) { return known }
        let encoded = encoded
        let plain = transport == .dialect ? encoded.bytes : nil
        let frames = dialect.frames(of: whole(encoded), epoch: epoch, plain: plain)
        forms.withLock { $0.dialectFrames[transport] = frames }
        return frames
    }

    /// What follows the event's object on sockets of one session.
    private var sessionFrames: [UInt8] {
        guard let dialect else { return [] }
        if let known = forms.withLock({ $0.dialectFrames[.plainWebSocket] }) { return known }
        let frames = dialect.sessionFrames(of: whole(encoded))
        forms.withLock { $0.dialectFrames[.plainWebSocket] = frames }
        return frames
    }

    /// The event with its payload, which is the last member of the event's JSON.
    private func whole(_ encoded: Frame) -> CommittedEvent {
        let committed = forms.withLock { $0.committed }
        guard let length = encoded.payloadLength else { return committed }
        let payload = Array(encoded.bytes[encoded.json].dropLast().suffix(length))
        return committed.replacing { $0.payload = payload }
    }

    /// Whether the event can be encoded for this transport. If not, it must be read from the store first.
    func isWhole(for transport: Transport) -> Bool { !transport.needsWholeEvents || dialect?.isWhole ?? true }

    /// An upper bound of what `append` adds.
    func encodedLength(for transport: Transport) -> Int {
        switch transport {
        case .jsonRPC: frame.count
        case .dialect, .dialectAlone: framesInDialect(for: transport).count
        case .plainWebSocket: json.count + 10 + sessionFrames.count
        case .serverSentEvents: json.count + epoch.utf8.count + type.rawValue.utf8.count + 48
        }
    }

    func append(for transport: Transport, to bytes: inout [UInt8]) {
        switch transport {
        case .jsonRPC:
            bytes.append(contentsOf: frame)
        case .dialect, .dialectAlone:
            bytes.append(contentsOf: framesInDialect(for: transport))
        case .plainWebSocket:
            let json = json
            WebSocketFrame.appendTextHeader(payloadLength: json.count, to: &bytes)
            bytes.append(contentsOf: json)
            bytes.append(contentsOf: sessionFrames)
        case .serverSentEvents:
            let position = StreamPosition(epoch: epoch, seq: seq)
            ServerSentEvents.appendBlock(position: position, event: type.rawValue, data: json, to: &bytes)
        }
    }
}
