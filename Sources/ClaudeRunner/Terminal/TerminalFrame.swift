/// What the agent and the server of a terminal send each other: a byte for the kind, four for the length, big-endian,
/// and the content.
enum TerminalFrame: Equatable, Sendable {
    // From the server.
    /// The first frame: the client's process.
    case started(ProcessIdentity)
    /// What the terminal has shown next.
    case output([UInt8])
    /// What was sent before is not the whole beginning of what follows.
    case restart
    /// The client has ended. The last frame.
    case exited(code: Int32?, signal: Int32?)
    /// The client could not be started.
    case failed(String)

    // From the agent.
    case input([UInt8])
    case resize(TerminalSize)
    /// Send everything that is kept again.
    case replay

    /// Bytes of a frame's content.
    static let limit = 64 << 10

    var bytes: [UInt8] {
        let (kind, content) = parts
        let count = UInt32(content.count)
        return [UInt8(ascii: kind), UInt8(count >> 24), UInt8(count >> 16 & 255), UInt8(count >> 8 & 255)]
            + [UInt8(count & 255)] + content
    }

    private var parts: (Unicode.Scalar, [UInt8]) {
        switch self {
        case .started(let process): ("S", Array("\(process.pid) \(process.startTime)".utf8))
        case .output(let bytes): ("O", bytes)
        case .restart: ("R", [])
        case .exited(let code, let signal):
            ("X", Array((code.map { "code \($0)" } ?? signal.map { "signal \($0)" } ?? "").utf8))
        case .failed(let reason): ("F", Array(reason.utf8.prefix(TerminalFrame.limit)))
        case .input(let bytes): ("I", bytes)
        case .replay: ("P", [])
        case .resize(let size): ("W", Array("\(size.columns) \(size.rows)".utf8))
        }
    }

    /// nil if the frame is none of these.
    init?(kind: UInt8, content: ArraySlice<UInt8>) {
        let words = String(decoding: content, as: UTF8.self).split(separator: " ")
        switch Unicode.Scalar(kind) {
        case "S":
            guard words.count == 2, let pid = Int32(words[0]) else { return nil }
            self = .started(ProcessIdentity(pid: pid, startTime: String(words[1])))
        case "O": self = .output(Array(content))
        case "R": self = .restart
        case "X":
            let number = words.count == 2 ? Int32(words[1]) : nil
            self = .exited(
                code: words.first == "code" ? number : nil,
                signal: words.first == "signal" ? number : nil
            )
        case "F": self = .failed(String(decoding: content, as: UTF8.self))
        case "I": self = .input(Array(content))
        case "W":
            guard words.count == 2, let columns = Int64(words[0]), let rows = Int64(words[1]),
                let size = TerminalSize(columns: columns, rows: rows)
            else { return nil }
            self = .resize(size)
        case "P": self = .replay
        default: return nil
        }
    }
}

/// Cuts a stream of bytes into frames.
struct TerminalFrameReader {
    private var rest: [UInt8] = []
    /// The other side does not speak this protocol. Nothing more is read.
    private(set) var isBroken = false

    mutating func append(_ bytes: ArraySlice<UInt8>) -> [TerminalFrame] {
        rest += bytes
        var frames: [TerminalFrame] = []
        var place = 0
        while !isBroken, rest.count - place >= 5 {
            let count = rest[(place + 1)..<(place + 5)].reduce(0) { $0 << 8 | Int($1) }
            guard count <= TerminalFrame.limit else {
                isBroken = true
                break
            }
            guard rest.count - place - 5 >= count else { break }
            let content = rest[(place + 5)..<(place + 5 + count)]
            if let frame = TerminalFrame(kind: rest[place], content: content) {
                frames.append(frame)
            } else {
                isBroken = true
            }
            place += 5 + count
        }
        rest.removeFirst(place)
        return frames
    }
}
