internal import ClaudeRunner
internal import Glibc
internal import Workers

/// Standard input and output of the bridge, and its requests to the server. Confined to one thread; `Bridge` decides.
struct BridgeLoop {
    /// Bytes of a line. Beyond, not even the id of a request is read.
    private static let lineLimit = 16 << 20

    private var bridge: Bridge
    private let sender: BridgeSender
    private let clock: () -> Double
    private var processes: [Int: RunningProcess] = [:]
    private var lines = LineBuffer(limit: BridgeLoop.lineLimit)
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)

    init(_ bridge: Bridge, _ sender: BridgeSender, clock: @escaping () -> Double) {
        (self.bridge, self.sender, self.clock) = (bridge, sender, clock)
    }

    /// Runs until the client has closed the input, or reads no more.
    mutating func run() {
        signal(SIGPIPE, SIG_IGN)
        while true {
            let numbers = processes.keys.sorted()
            var waits = [pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)]
            waits += numbers.map { number in
                pollfd(fd: processes[number]?.descriptor ?? -1, events: Int16(POLLIN), revents: 0)
            }
            _ = unsafe poll(&waits, nfds_t(waits.count), milliseconds())
            for (number, wait) in zip(numbers, waits.dropFirst()) where wait.revents != 0 {
                guard perform(read(number)) else { return }
            }
            if waits[0].revents != 0 {
                guard let actions = readClient(), perform(actions) else { return }
            }
            guard perform(bridge.tick(now: clock())) else { return }
        }
    }

    private func milliseconds() -> Int32 {
        guard let next = bridge.nextTime else { return -1 }
        return Int32(min(max(0, next - clock()), 3600) * 1000) + 1
    }

    /// Returns `nil` at the end.
    private mutating func readClient() -> [Bridge.Action]? {
        let count = unsafe Glibc.read(STDIN_FILENO, &buffer, buffer.count)
        guard count > 0 else { return count < 0 && (errno == EINTR || errno == EAGAIN) ? [] : nil }
        var actions: [Bridge.Action] = []
        for line in lines.append(buffer[..<count]) {
            switch line {
            case .text(let bytes): actions += bridge.received(bytes, now: clock())
            case .tooLong: actions += bridge.receivedTooLong()
            }
        }
        return actions
    }

    private mutating func read(_ number: Int) -> [Bridge.Action] {
        guard let process = processes[number] else { return [] }
        switch process.read() {
        case .none: return []
        case .bytes(let bytes): return bridge.output(bytes, of: number, now: clock())
        case .end:
            processes[number] = nil
            return bridge.ended(number, process.awaitEnd(), now: clock())
        }
    }

    /// - Returns: whether the client still reads.
    private mutating func perform(_ actions: [Bridge.Action]) -> Bool {
        for action in actions {
            switch action {
            case .write(let message):
                do throws(OwnFile.Fault) {
                    try OwnFile.write(message + [UInt8(ascii: "\n")], to: STDOUT_FILENO, "standard output")
                } catch {
                    return false
                }
            case .drop(let number): processes.removeValue(forKey: number)?.end()
            case .send(let request, let number):
                processes[number] = sender.start(request)
                // What could not be started is like a server that is away.
                if processes[number] == nil, !perform(bridge.ended(number, 7, now: clock())) { return false }
            }
        }
        return true
    }
}
