internal import Glibc

/// What the thread of a `ClaudeChannel` does. Confined to that thread.
struct ChannelLoop {
    let channel: ClaudeChannel
    let wakeUp: WakeUp
    let input: Descriptor
    let output: Descriptor
    let files: SessionFiles
    let process: ProcessHandle
    var state: RunnerState

    private var backlog: [ClaudeChannel.Output] = []
    /// The rest of a line that did not fit into the pipe.
    private var rest: ArraySlice<UInt8> = []
    private var restID = ""
    private var isDetached = false
    private var lines = LineBuffer()
    private var buffer = [UInt8](repeating: 0, count: 65536)

    init(
        channel: ClaudeChannel,
        wakeUp: WakeUp,
        input: Descriptor,
        output: Descriptor,
        files: SessionFiles,
        process: ProcessHandle,
        state: RunnerState
    ) {
        self.channel = channel
        self.wakeUp = wakeUp
        self.input = input
        self.output = output
        self.files = files
        self.process = process
        self.state = state
    }

    mutating func run() {
        while true {
            backlog += channel.takeOutputs()
            write()
            if isDetached {
                refuseRest()
                break
            }
            let isPaused = channel.checkPause()
            wait(reads: !isPaused)
            if !isPaused { read() }
            if case .ended(let code, let signal) = process.status() {
                // The client wrote this before it ended.
                while read() {}
                finish(code, signal)
                break
            }
        }
        channel.input.finish()
    }

    /// Nothing more is written.
    private func refuseRest() {
        for output in backlog + channel.closeOutputs() {
            if case .line(let id, _, _) = output { channel.input.offer(.write(id: id, .refused)) }
        }
    }

    private mutating func finish(_ code: Int32?, _ signal: Int32?) {
        if !restID.isEmpty { channel.input.offer(.write(id: restID, .refused)) }
        refuseRest()
        state.hasEnded = true
        state.writing = nil
        _ = try? files.write(state.bytes)
        channel.input.offer(.exited(code: code, signal: signal))
    }

    private func wait(reads: Bool) {
        var descriptors = [
            pollfd(fd: wakeUp.reading.number, events: Int16(POLLIN), revents: 0),
            pollfd(fd: reads ? output.number : -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: rest.isEmpty ? -1 : input.number, events: Int16(POLLOUT), revents: 0),
            pollfd(fd: process.descriptor?.number ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        // Without a descriptor of the process, its end is looked for.
        let timeout: Int32 = process.descriptor == nil ? 200 : -1
        _ = unsafe poll(&descriptors, nfds_t(descriptors.count), timeout)
        wakeUp.clear()
    }

    // MARK: - From the client

    /// Returns false if nothing waits.
    @discardableResult
    private mutating func read() -> Bool {
        let count = output.read(into: &buffer)
        guard count > 0 else { return false }
        for line in lines.append(buffer[..<count]) {
            switch line {
            case .text(let bytes): channel.input.offer(.line(bytes), bytes: bytes.count)
            case .tooLong: channel.input.offer(.lineLost)
            }
        }
        return true
    }

    // MARK: - To the client

    /// Writes what can be written without waiting.
    private mutating func write() {
        if !rest.isEmpty { writeRest() }
        while rest.isEmpty, !backlog.isEmpty {
            switch backlog.removeFirst() {
            case .save(let newState): _ = save(newState)
            case .line(let id, let bytes, let newState): write(id, bytes, newState)
            case .detach:
                isDetached = true
                return
            }
        }
    }

    private mutating func write(_ id: String, _ bytes: [UInt8], _ newState: RunnerState?) {
        var before = newState ?? state
        let fits = PipeRoom.fits(bytes.count, input)
        // The next agent must know that a line may have been cut. It then ends the client, because the client would
        // take the rest and the next line for one.
        before.writing = fits ? nil : id
        if newState != nil || !fits {
            guard save(before) else {
                channel.wrote(bytes: bytes.count)
                channel.input.offer(.write(id: id, .notSaved))
                return
            }
        }
        rest = bytes[...]
        restID = id
        writeRest()
    }

    private mutating func writeRest() {
        let count = input.write(rest)
        if count > 0 {
            rest = rest.dropFirst(count)
            channel.wrote(bytes: count)
        }
        guard rest.isEmpty else { return }
        if state.writing != nil {
            state.writing = nil
            _ = save(state)
        }
        channel.input.offer(.write(id: restID, .written))
        restID = ""
        rest = []
    }

    /// Returns false if the state file could not be written.
    private mutating func save(_ newState: RunnerState) -> Bool {
        do throws(SystemFault) {
            try files.write(newState.bytes)
            state = newState
            return true
        } catch {
            return false
        }
    }
}
