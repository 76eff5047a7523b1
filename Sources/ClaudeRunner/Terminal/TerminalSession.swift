internal import Workers

package enum TerminalEvent: Sendable, Equatable {
    /// What the terminal has shown next. With `restarts`, what was reported before is to be forgotten.
    case output([UInt8], restarts: Bool)
    /// The last event. Code and signal are both nil if the server has ended too.
    case exited(code: Int32?, signal: Int32?)
}

/// One client in a terminal of its own. The terminal's server, a process of its own, holds the terminal, so that both
/// outlive this agent: see `adopt`.
package actor TerminalSession {
    /// Ends with `exited`, or with `detach`. For one consumer; while it takes none, the server keeps the last 256 KiB.
    package nonisolated let events: AsyncStream<TerminalEvent>
    package nonisolated let state: RunnerState

    private let client: ProcessHandle
    private let channel: TerminalChannel
    /// The server, if this process has started it.
    private let server: ProcessHandle?
    private var exit: (code: Int32?, signal: Int32?)?
    private var exitWaiters: [CheckedContinuation<Void, Never>] = []
    private var isDetached = false
    private let output: AsyncQueue<TerminalEvent>
    private var restarts = false
    private var hasEnded = false

    init(_ state: RunnerState, _ client: ProcessHandle, _ channel: TerminalChannel, server: ProcessHandle?) {
        (self.state, self.client, self.channel, self.server) = (state, client, channel, server)
        let output = AsyncQueue<TerminalEvent>(limit: 8)
        self.output = output
        events = AsyncStream {
            await output.next()
        } onCancel: {
            output.finish()
        }
    }

    package nonisolated var pid: Int32 { client.identity.pid }

    func begin() {
        Task { await receive() }
    }

    private func receive() async {
        while let frame = await channel.input.next() {
            channel.consumed()
            switch frame {
            case .restart: restarts = true
            case .output(let bytes):
                await output.room()
                output.offer(.output(bytes, restarts: restarts))
                restarts = false
            case .exited(let code, let signal): exit = (code, signal)
            default: break
            }
        }
        if !isDetached {
            if let server { await runBlocking { _ = ClientEnd.waitForEnd(of: [server], milliseconds: 2000) } }
            // Without its server, the client has lost its terminal.
            output.offer(.exited(code: exit?.code, signal: exit?.signal))
            hasEnded = true
        }
        output.finish()
        for waiter in exitWaiters { waiter.resume() }
        exitWaiters = []
    }

    /// Keys, as a terminal sends them.
    package func input(_ bytes: [UInt8]) throws(ClaudeError) {
        for start in stride(from: 0, to: bytes.count, by: TerminalFrame.limit) {
            let part = Array(bytes[start..<min(bytes.count, start + TerminalFrame.limit)])
            guard channel.send(.input(part)) else { throw hasEnded || isDetached ? .notRunning : .overloaded }
        }
    }

    /// Everything that is kept of the output is reported again.
    package func replay() { _ = channel.send(.replay) }

    /// The client draws its screen again, also if the size is the same.
    package func resize(to size: TerminalSize) throws(ClaudeError) {
        guard channel.send(.resize(size)) else { throw hasEnded || isDetached ? .notRunning : .overloaded }
    }

    /// Ends the client and the tools below it, as `ClaudeSession.stop` does.
    package func stop(killLeftovers: Bool) async -> StopReport {
        let left = await ClientEnd(process: client, marker: "CLAUDE_PID=\(pid)")
            .stop(killLeftovers: killLeftovers, isRunning: !hasEnded) { await self.waitForExit(seconds: $0) }
        return StopReport(code: exit?.code, signal: exit?.signal, leftRunning: left)
    }

    /// Lets go of the client, which goes on. Another session can adopt it.
    package func detach() async {
        isDetached = true
        channel.close()
    }

    private func waitForExit(seconds: Double) async -> Bool {
        guard !hasEnded else { return true }
        let alarm = Task {
            try? await Task.sleep(for: .seconds(seconds))
            for waiter in exitWaiters { waiter.resume() }
            exitWaiters = []
        }
        await withCheckedContinuation { exitWaiters.append($0) }
        alarm.cancel()
        return hasEnded
    }
}
