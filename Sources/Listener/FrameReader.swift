/// Reads a client's WebSocket frames (RFC 6455 section 5), in pieces of any size, and joins messages.
///
/// A class, so that the fields of a connection that a delivery needs stay together in memory.
final class FrameReader {
    enum Event: Equatable {
        case message([UInt8], isText: Bool)
        case ping([UInt8])
        case pong
        /// nil if the frame contains no code.
        case close(code: UInt16?)
    }

    /// The connection is closed with this code.
    struct Fault: Error, Equatable {
        let code: UInt16
        let reason: String

        static func broken(_ reason: String) -> Fault { Fault(code: 1002, reason: reason) }
        static let notUTF8 = Fault(code: 1007, reason: "text is not UTF-8")
        static let tooLarge = Fault(code: 1009, reason: "message too big")
    }

    private struct Frame {
        var isFinal: Bool
        var opcode: UInt8
        var mask: [UInt8]
        var length: Int
        var received = 0

        var isControl: Bool { opcode & 8 != 0 }
    }

    private let maximumMessage: Int
    /// The bytes received so far of the next frame's header.
    private var head: [UInt8] = []
    private var frame: Frame?
    private var control: [UInt8] = []
    private var message: [UInt8] = []
    /// Whether the message being received is text, according to its first frame. nil between messages.
    private var isText: Bool?
    private var check = UTF8Check()

    init(maximumMessage: Int) {
        self.maximumMessage = maximumMessage
    }

    /// Takes bytes from the front until an event is complete. Returns nil if all bytes are taken and more are needed.
    func next(_ bytes: inout ArraySlice<UInt8>) throws(Fault) -> Event? {
        while !bytes.isEmpty {
            if frame == nil {
                try takeHead(&bytes)
                guard frame != nil else { return nil }
            }
            if let event = try takePayload(&bytes) { return event }
        }
        return nil
    }

    private func takeHead(_ bytes: inout ArraySlice<UInt8>) throws(Fault) {
        while frame == nil {
            let needed = Self.headLength(head)
            if head.count == needed {
                frame = try begin()
                head = []
                return
            }
            guard let byte = bytes.popFirst() else { return }
            head.append(byte)
        }
    }

    /// The length of the frame's header as far as it is known: two bytes, then those of the length and the mask.
    private static func headLength(_ head: [UInt8]) -> Int {
        guard head.count >= 2 else { return 2 }
        let isMasked = head[1] & 0x80 != 0
        let more =
            switch head[1] & 0x7f {
            case 126: 2
            case 127: 8
            default: 0
            }
        return 2 + more + (isMasked ? 4 : 0)
    }

    private func begin() throws(Fault) -> Frame {
        let opcode = head[0] & 0x0f
        let isFinal = head[0] & 0x80 != 0
        guard head[0] & 0x70 == 0 else { throw .broken("reserved bits are set") }
        guard head[1] & 0x80 != 0 else { throw .broken("a client's frame must be masked") }
        let length = try Self.payloadLength(head)
        switch opcode {
        case 0:
            guard isText != nil else { throw .broken("nothing to continue") }
        case 1, 2:
            guard isText == nil else { throw .broken("the message before has not ended") }
        case 8, 9, 10:
            guard isFinal, length <= 125 else { throw .broken("a control frame is one of 125 bytes at most") }
        default:
            throw .broken("unknown opcode")
        }
        if opcode < 8, length > maximumMessage - message.count { throw .tooLarge }
        return Frame(isFinal: isFinal, opcode: opcode, mask: Array(head.suffix(4)), length: length)
    }

    /// The length must be in its shortest form (RFC 6455 section 5.2).
    private static func payloadLength(_ head: [UInt8]) throws(Fault) -> Int {
        let short = Int(head[1] & 0x7f)
        guard short > 125 else { return short }
        let count = short == 126 ? 2 : 8
        let length = head[2..<(2 + count)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard length > (count == 2 ? 125 : 65_535) else { throw .broken("the length is not in its shortest form") }
        guard length <= UInt64(Int64.max) else { throw .broken("the length has no end") }
        return Int(length)
    }

    private func takePayload(_ bytes: inout ArraySlice<UInt8>) throws(Fault) -> Event? {
        guard var frame else { return nil }
        let piece = bytes.prefix(frame.length - frame.received)
        bytes = bytes.dropFirst(piece.count)
        if frame.isControl {
            Self.unmask(piece, frame, onto: &control)
        } else {
            if frame.received == 0, frame.opcode != 0 { isText = frame.opcode == 1 }
            let start = message.count
            Self.unmask(piece, frame, onto: &message)
            if isText == true, !check.take(message[start...]) { throw .notUTF8 }
        }
        frame.received += piece.count
        guard frame.received == frame.length else {
            self.frame = frame
            return nil
        }
        self.frame = nil
        return frame.isControl ? try endControl(frame.opcode) : try endData(frame)
    }

    private static func unmask(_ piece: ArraySlice<UInt8>, _ frame: Frame, onto bytes: inout [UInt8]) {
        var position = frame.received
        bytes.reserveCapacity(bytes.count + piece.count)
        for byte in piece {
            bytes.append(byte ^ frame.mask[position & 3])
            position += 1
        }
    }

    private func endData(_ frame: Frame) throws(Fault) -> Event? {
        guard frame.isFinal, let isText else { return nil }
        guard check.isComplete else { throw .notUTF8 }
        defer {
            message = []
            self.isText = nil
            check = UTF8Check()
        }
        return .message(message, isText: isText)
    }

    private func endControl(_ opcode: UInt8) throws(Fault) -> Event {
        defer { control = [] }
        switch opcode {
        case 9: return .ping(control)
        case 10: return .pong
        default: return try Self.close(control)
        }
    }

    /// RFC 6455 section 7.4.
    private static func close(_ payload: [UInt8]) throws(Fault) -> Event {
        guard !payload.isEmpty else { return .close(code: nil) }
        guard payload.count >= 2 else { throw .broken("half a close code") }
        let code = UInt16(payload[0]) << 8 | UInt16(payload[1])
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: break
        default: throw .broken("not a close code")
        }
        var check = UTF8Check()
        guard check.take(payload[2...]), check.isComplete else { throw .notUTF8 }
        return .close(code: code)
    }
}
