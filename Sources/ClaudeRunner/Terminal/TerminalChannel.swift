internal import Glibc
internal import Synchronization
internal import Workers

/// The agent's connection to the server of one terminal. A thread of its own reads, writes and waits.
final class TerminalChannel: Sendable {
    /// How much may wait for a client that does not read.
    private static let outputLimit = 256 << 10
    /// How much may wait for the session. The server keeps the rest.
    private static let inputLimit = 256 << 10

    private struct Outputs {
        var waiting: [UInt8] = []
        var isClosed = false
    }

    /// Ends when the connection ends.
    let input = AsyncQueue<TerminalFrame>(limit: .max)
    private let socket: Descriptor
    private let wakeUp: WakeUp
    private let outputs = Mutex(Outputs())

    init(_ socket: Descriptor) throws(SystemFault) {
        self.socket = socket
        wakeUp = try WakeUp()
        do {
            _ = try WorkerThread(name: "claude-terminal") { [self] in run() }
        } catch {
            throw SystemFault("start", "a thread", code: error.errorNumber)
        }
    }

    /// Any thread. Returns false if the connection has ended, or the client does not read.
    func send(_ frame: TerminalFrame) -> Bool {
        let bytes = frame.bytes
        let isAccepted = outputs.withLock { outputs in
            guard !outputs.isClosed, outputs.waiting.count + bytes.count <= TerminalChannel.outputLimit else {
                return false
            }
            outputs.waiting += bytes
            return true
        }
        if isAccepted { wakeUp.notify() }
        return isAccepted
    }

    /// Any thread.
    func close() {
        outputs.withLock { $0.isClosed = true }
        wakeUp.notify()
    }

    /// The session has taken a frame.
    func consumed() {
        if input.bytes <= TerminalChannel.inputLimit / 2 { wakeUp.notify() }
    }

    // MARK: - The thread

    private func run() {
        var reader = TerminalFrameReader()
        var rest: ArraySlice<UInt8> = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            if rest.isEmpty {
                rest = outputs.withLock { outputs in
                    defer { outputs.waiting = [] }
                    return outputs.waiting[...]
                }
            }
            let sent = rest.isEmpty ? 0 : socket.write(rest)
            if sent > 0 { rest = rest.dropFirst(sent) }
            let reads = input.bytes < TerminalChannel.inputLimit
            wait(reads: reads, writes: !rest.isEmpty)
            guard !outputs.withLock(\.isClosed) else { break }
            let count = reads ? socket.read(into: &buffer) : -1
            if count == 0 || reads && count < 0 && errno != EAGAIN { break }
            guard count > 0 else { continue }
            for frame in reader.append(buffer[..<count]) { input.offer(frame, bytes: frame.bytes.count) }
            if reader.isBroken { break }
        }
        outputs.withLock { $0.isClosed = true }
        input.finish()
    }

    private func wait(reads: Bool, writes: Bool) {
        let events = (reads ? Int16(POLLIN) : 0) | (writes ? Int16(POLLOUT) : 0)
        var descriptors = [
            pollfd(fd: wakeUp.reading.number, events: Int16(POLLIN), revents: 0),
            // A hang-up is reported always: nothing is asked for while nothing may be read.
            pollfd(fd: events == 0 ? -1 : socket.number, events: events, revents: 0),
        ]
        _ = unsafe poll(&descriptors, nfds_t(descriptors.count), -1)
        wakeUp.clear()
    }
}
