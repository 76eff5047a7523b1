internal import Glibc

/// What the server of a terminal does while its client runs: passes what the client shows to the agent, if one is
/// connected, and keeps the last of it; passes what the agent sends to the client.
struct TerminalServerLoop {
    let listener: Descriptor
    let terminal: PseudoTerminal
    let client: ProcessHandle
    /// Seconds of a clock that never goes back.
    private let clock: @Sendable () -> Double

    private var size: TerminalSize
    private var log = ScreenLog()
    private var agent: Agent?
    /// What the client has not read yet.
    private var input: ArraySlice<UInt8> = []
    private var buffer = [UInt8](repeating: 0, count: 65536)
    /// When the terminal gets its size back, on the clock of `milliseconds`. See `resize`.
    private var restoresAt: Int?

    /// More is not taken from the agent before the client has read.
    private static let inputLimit = 64 << 10
    private static let restoreMilliseconds = 100
    /// Seconds that an agent has to take the end.
    private static let farewellSeconds = 2

    /// A connected agent.
    private struct Agent {
        let socket: Descriptor
        var reader = TerminalFrameReader()
        /// The rest of a frame that has been sent in part.
        var rest: ArraySlice<UInt8>
        /// How much of the log it has.
        var position: UInt64 = 0
        /// It is sent everything that is kept, as if it knew nothing.
        var restarts = false
    }

    init(
        listener: Descriptor,
        terminal: PseudoTerminal,
        client: ProcessHandle,
        size: TerminalSize,
        clock: @escaping @Sendable () -> Double
    ) {
        (self.listener, self.terminal, self.client, self.size) = (listener, terminal, client, size)
        self.clock = clock
    }

    private var milliseconds: Int { Int(clock() * 1000) }

    /// Returns how the client has ended.
    mutating func run() -> (code: Int32?, signal: Int32?) {
        while true {
            wait()
            readTerminal()
            restoreSize()
            if let socket = LocalSocket.accept(listener) {
                agent = Agent(socket: socket, rest: TerminalFrame.started(client.identity).bytes[...])
            }
            readAgent()
            writeTerminal()
            writeAgent()
            if case .ended(let code, let signal) = client.status() {
                readTerminal()
                return (code, signal)
            }
        }
    }

    private mutating func wait() {
        let takesInput = input.count < TerminalServerLoop.inputLimit
        let owes = agent.map { !$0.rest.isEmpty || $0.restarts || $0.position < log.end } ?? false
        let reads = takesInput ? Int16(POLLIN) : 0
        var descriptors = [
            pollfd(
                fd: terminal.master.number,
                events: Int16(POLLIN) | (input.isEmpty ? 0 : Int16(POLLOUT)),
                revents: 0
            ),
            pollfd(fd: listener.number, events: Int16(POLLIN), revents: 0),
            pollfd(fd: agent?.socket.number ?? -1, events: reads | (owes ? Int16(POLLOUT) : 0), revents: 0),
            pollfd(fd: client.descriptor?.number ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        var timeout: Int32 = client.descriptor == nil ? 200 : -1
        if let restoresAt { timeout = Int32(max(0, restoresAt - milliseconds)) }
        _ = unsafe poll(&descriptors, nfds_t(descriptors.count), timeout)
    }

    // MARK: - The terminal

    private mutating func readTerminal() {
        // A client that writes without end does not keep the agent's input waiting.
        for _ in 0..<16 {
            let count = terminal.master.read(into: &buffer)
            guard count > 0 else { return }
            log.append(buffer[..<count])
        }
    }

    private mutating func writeTerminal() {
        guard !input.isEmpty else { return }
        let count = terminal.master.write(input)
        if count > 0 { input = input.dropFirst(count) }
    }

    /// Programs draw their screen again only when its size changes. The same size is therefore set by way of another
    /// one, for long enough that the client sees both.
    private mutating func resize(to new: TerminalSize) {
        guard new == size else {
            size = new
            restoresAt = nil
            return terminal.resize(to: new)
        }
        guard restoresAt == nil, let other = TerminalSize(columns: Int64(new.columns), rows: Int64(new.rows) - 1)
        else { return }
        terminal.resize(to: other)
        restoresAt = milliseconds + TerminalServerLoop.restoreMilliseconds
    }

    private mutating func restoreSize() {
        guard let time = restoresAt, time <= milliseconds else { return }
        restoresAt = nil
        terminal.resize(to: size)
    }

    // MARK: - The agent

    private mutating func readAgent() {
        guard let socket = agent?.socket, input.count < TerminalServerLoop.inputLimit else { return }
        let count = socket.read(into: &buffer)
        if count == 0 || count < 0 && errno != EAGAIN {
            agent = nil
            return
        }
        guard count > 0 else { return }
        for frame in agent?.reader.append(buffer[..<count]) ?? [] {
            switch frame {
            case .input(let bytes): input += bytes
            case .resize(let size): resize(to: size)
            case .replay: agent?.restarts = true
            default: break
            }
        }
        if agent?.reader.isBroken ?? false { agent = nil }
    }

    private mutating func writeAgent() {
        while var agent {
            if agent.rest.isEmpty {
                guard agent.restarts || agent.position < log.end else { return }
                let (bytes, isBroken) = log.read(from: agent.position, atMost: TerminalFrame.limit)
                if agent.restarts || isBroken {
                    agent.rest = TerminalFrame.restart.bytes[...]
                    agent.position = log.start
                    agent.restarts = false
                } else {
                    agent.rest = TerminalFrame.output(Array(bytes)).bytes[...]
                    agent.position += UInt64(bytes.count)
                }
            }
            let count = agent.socket.write(agent.rest)
            if count > 0 { agent.rest = agent.rest.dropFirst(count) }
            self.agent = count < 0 && errno != EAGAIN ? nil : agent
            if count < 0 { return }
        }
    }

    /// Gives the agent everything that it has not got, and a last frame. Without an agent, one that connects within the
    /// time gets them.
    mutating func tell(_ last: TerminalFrame) {
        let deadline = milliseconds + TerminalServerLoop.farewellSeconds * 1000
        var hasAdded = false
        while milliseconds < deadline {
            writeAgent()
            if let agent, agent.rest.isEmpty, agent.position == log.end {
                if hasAdded { return }
                self.agent?.rest = last.bytes[...]
                hasAdded = true
                continue
            }
            var descriptors = [
                pollfd(fd: agent?.socket.number ?? -1, events: Int16(POLLOUT), revents: 0),
                pollfd(fd: listener.number, events: Int16(POLLIN), revents: 0),
            ]
            _ = unsafe poll(&descriptors, nfds_t(descriptors.count), Int32(max(0, deadline - milliseconds)))
            if let socket = LocalSocket.accept(listener) {
                agent = Agent(socket: socket, rest: TerminalFrame.started(client.identity).bytes[...])
                hasAdded = false
            }
        }
    }

    /// Says why there is no client.
    static func tell(_ frame: TerminalFrame, whoeverConnectsTo listener: Descriptor) {
        var descriptors = [pollfd(fd: listener.number, events: Int16(POLLIN), revents: 0)]
        _ = unsafe poll(&descriptors, 1, Int32(farewellSeconds * 1000))
        _ = LocalSocket.accept(listener)?.write(frame.bytes[...])
    }
}
