internal import Glibc
internal import JSON
internal import Workers

/// An MCP server that is started to learn its tools, and ended then.
package struct ToolServerStart: Sendable, Equatable {
    /// Absolute.
    package var executable: String
    package var arguments: [String]
    /// Complete, as `NAME=value`.
    package var environment: [String]
    /// A real path.
    package var directory: String

    package init(executable: String, arguments: [String], environment: [String], directory: String) {
        (self.executable, self.arguments) = (executable, arguments)
        (self.environment, self.directory) = (environment, directory)
    }

    /// Starts the server, asks for its tools and ends it.
    ///
    /// - Parameter clock: seconds that only grow.
    package func list(
        seconds: Double,
        clock: @escaping @Sendable () -> Double
    ) async throws(ToolServerFault) -> ToolList {
        try await runBlocking { () throws(ToolServerFault) in
            let process = try ToolServerProcess(self)
            defer { process.end() }
            return try process.list(seconds: seconds, clock: clock)
        }
    }
}

/// Why the tools of a server are not known. The words are shown to people, and contain nothing that the server wrote to
/// its standard error.
package struct ToolServerFault: Error, Equatable {
    package var message: String
}

/// One server, on a thread that may block.
private final class ToolServerProcess {
    private static let lineLimit = 4 << 20
    private static let graceMilliseconds: Int32 = 1000

    private let process: ProcessHandle
    private let output: Descriptor
    private var input: Descriptor?
    private var pending: ArraySlice<UInt8> = []
    private var conversation = ToolServerConversation()

    init(_ start: ToolServerStart) throws(ToolServerFault) {
        do {
            let directory = try ClaudeSession.open(directory: start.directory)
            let (toServer, fromServer) = (try DescriptorPair(), try DescriptorPair())
            for own in [toServer.writing, fromServer.reading] { _ = fcntl(own.number, F_SETFL, O_NONBLOCK) }
            process = try ChildLauncher.start(
                start.executable,
                start.arguments,
                environment: start.environment,
                streams: .descriptors(input: toServer.reading, output: fromServer.writing),
                directory: directory
            )
            (input, output) = (toServer.writing, fromServer.reading)
        } catch {
            throw ToolServerFault(message: "it cannot be started")
        }
    }

    func list(seconds: Double, clock: () -> Double) throws(ToolServerFault) -> ToolList {
        var lines = LineBuffer(limit: ToolServerProcess.lineLimit)
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let end = clock() + seconds
        if let list = try act(conversation.begin()) { return list }
        while true {
            let left = end - clock()
            guard left > 0 else { throw ToolServerFault(message: "it did not answer in time") }
            wait(milliseconds: Int32((min(left, 60) * 1000).rounded(.up)))
            write()
            let count = output.read(into: &buffer)
            if count < 0, errno == EAGAIN { continue }
            guard count > 0 else { throw ToolServerFault(message: "it ended") }
            for case .text(let line) in lines.append(buffer[..<count]) {
                // A server may write other things to its output.
                guard let message = try? JSONValue.parse(line, maxDepth: 128) else { continue }
                if let list = try act(conversation.receive(message)) { return list }
            }
        }
    }

    private func act(_ actions: [ToolServerConversation.Action]) throws(ToolServerFault) -> ToolList? {
        for action in actions {
            switch action {
            case .write(let message):
                pending += ClientLine.bytes(message)
                write()
            case .listed(let list): return list
            case .failed(let reason): throw ToolServerFault(message: "it refused: \(reason.prefix(200))")
            }
        }
        return nil
    }

    private func write() {
        guard let input, !pending.isEmpty else { return }
        let count = input.write(pending)
        if count > 0 { pending = pending.dropFirst(count) }
    }

    private func wait(milliseconds: Int32) {
        var descriptors = [
            pollfd(fd: output.number, events: Int16(POLLIN), revents: 0),
            pollfd(fd: pending.isEmpty ? -1 : input?.number ?? -1, events: Int16(POLLOUT), revents: 0),
        ]
        _ = unsafe poll(&descriptors, 2, milliseconds)
    }

    /// Closes the input, which ends a server that behaves, and then ends its whole group. The leader stays in the table
    /// until then, so that its number means this group.
    func end() {
        input = nil
        awaitEnd()
        kill(-process.identity.pid, SIGTERM)
        awaitEnd()
        kill(-process.identity.pid, SIGKILL)
        for _ in 0..<250 where process.status() == .running { WorkerThread.sleep(milliseconds: 20) }
    }

    private func awaitEnd() {
        var descriptors = [pollfd(fd: process.descriptor?.number ?? -1, events: Int16(POLLIN), revents: 0)]
        _ = unsafe poll(&descriptors, 1, ToolServerProcess.graceMilliseconds)
    }
}

/// The ends of a pipe. Not inherited by other children.
private struct DescriptorPair {
    let reading: Descriptor
    let writing: Descriptor

    init() throws(SystemFault) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw SystemFault("make", "a pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (reading, writing) = (Descriptor(owning: ends[0]), Descriptor(owning: ends[1]))
    }
}
