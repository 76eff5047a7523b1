internal import Synchronization
internal import Workers

/// The pipes, the state file and the process of one client. A thread of its own reads, writes and waits; it decides
/// nothing.
final class ClaudeChannel: Sendable {
    enum Output: Sendable {
        case save(RunnerState)
        /// `state` is written before the line, and if that fails, the line is not written.
        case line(id: String, bytes: [UInt8], state: RunnerState?)
        /// Lets go of the client, which goes on.
        case detach
    }

    enum WriteResult: Sendable {
        case written
        /// The client has ended, or was let go.
        case refused
        /// The state file could not be written.
        case notSaved
    }

    enum Input: Sendable {
        case line([UInt8])
        /// A line was too long to be read.
        case lineLost
        case write(id: String, WriteResult)
        /// The last element.
        case exited(code: Int32?, signal: Int32?)
    }

    /// How much may wait to be written. A client that does not read is given no more.
    private static let outputLimit = 64 << 20
    /// How much may wait for the session, before the client is made to wait.
    static let inputLimit = 8 << 20

    private struct Outputs {
        var waiting: [Output] = []
        var bytes = 0
        var isClosed = false
    }

    let input = AsyncQueue<Input>(limit: .max)
    private let outputs = Mutex(Outputs())
    private let isPaused = Atomic(false)
    private let wakeUp: WakeUp

    init() throws(SystemFault) {
        wakeUp = try WakeUp()
    }

    /// Starts the thread.
    ///
    /// - Parameter state: what the state file contains.
    func open(files: SessionFiles, process: ProcessHandle, state: RunnerState) throws(SystemFault) {
        let pipes = (input: try SessionFiles.openPipe(files.input), output: try SessionFiles.openPipe(files.output))
        PipeRoom.enlarge(pipes.input)
        PipeRoom.enlarge(pipes.output)
        do {
            _ = try WorkerThread(name: "claude-client") { [self] in
                var loop = ChannelLoop(
                    channel: self,
                    wakeUp: wakeUp,
                    input: pipes.input,
                    output: pipes.output,
                    files: files,
                    process: process,
                    state: state
                )
                loop.run()
            }
        } catch {
            throw SystemFault("start", "a thread", code: error.errorNumber)
        }
    }

    /// Any thread. Returns false if the client is gone, or does not read what waits for it.
    func send(_ output: Output) -> Bool {
        let size = if case .line(_, let bytes, _) = output { bytes.count } else { 0 }
        let isAccepted = outputs.withLock { outputs in
            guard !outputs.isClosed, size == 0 || outputs.bytes + size <= ClaudeChannel.outputLimit else {
                return false
            }
            outputs.waiting.append(output)
            outputs.bytes += size
            return true
        }
        if isAccepted { wakeUp.notify() }
        return isAccepted
    }

    /// Whether the client has ended or was let go.
    var isClosed: Bool { outputs.withLock(\.isClosed) }

    /// The session has taken an element.
    func consumed() {
        guard isPaused.load(ordering: .relaxed), input.bytes <= ClaudeChannel.inputLimit / 2 else { return }
        wakeUp.notify()
    }

    // MARK: - For the thread

    func takeOutputs() -> [Output] {
        outputs.withLock { outputs in
            defer { outputs.waiting = [] }
            return outputs.waiting
        }
    }

    func wrote(bytes: Int) {
        outputs.withLock { $0.bytes -= bytes }
    }

    /// Whether the session still has enough to do.
    func checkPause() -> Bool {
        let pauses = input.bytes > ClaudeChannel.inputLimit
        isPaused.store(pauses, ordering: .relaxed)
        return pauses
    }

    /// No further output is accepted. Returns what waits.
    func closeOutputs() -> [Output] {
        outputs.withLock { outputs in
            outputs.isClosed = true
            defer { outputs.waiting = [] }
            return outputs.waiting
        }
    }
}
