internal import Workers

/// A process that a session started and that still runs.
package struct LeftProcess: Sendable, Equatable {
    package var pid: Int32
    package var command: String

    package init(pid: Int32, command: String) {
        self.pid = pid
        self.command = command
    }
}

package struct StopReport: Sendable, Equatable {
    package var code: Int32?
    package var signal: Int32?
    /// What the session started and then let go, such as a server that a tool started.
    package var leftRunning: [LeftProcess]

    package init(code: Int32?, signal: Int32?, leftRunning: [LeftProcess]) {
        self.code = code
        self.signal = signal
        self.leftRunning = leftRunning
    }
}

extension ClaudeSession {
    /// Ends the client and the tools below it. What has left its process tree is reported, and ended only with
    /// `killLeftovers`.
    package func stop(killLeftovers: Bool) async -> StopReport {
        let left = await ClientEnd(process: process, marker: ClaudeEnvironment.marker(sessionID: sessionMark))
            .stop(killLeftovers: killLeftovers, isRunning: exit == nil) { await self.waitForExit(seconds: $0) }
        return StopReport(code: exit?.code, signal: exit?.signal, leftRunning: left)
    }
}

/// Ends a client and what it has started.
struct ClientEnd: Sendable {
    let process: ProcessHandle
    /// What everything that the client has started has in its environment.
    let marker: String

    /// Returns what still runs.
    func stop(
        killLeftovers: Bool,
        isRunning: Bool,
        waitForExit: @Sendable (_ seconds: Double) async -> Bool
    ) async -> [LeftProcess] {
        let pid = process.identity.pid
        var tools: [ProcessHandle] = []
        if isRunning {
            tools = await runBlocking { ProcessTable.descendants(of: pid).compactMap(ProcessHandle.init) }
            process.send(.terminate)
            if await !waitForExit(5) {
                // It may have started others since.
                tools += await runBlocking { ProcessTable.descendants(of: pid).compactMap(ProcessHandle.init) }
                process.send(.kill)
                _ = await waitForExit(5)
            }
        }
        return await runBlocking { [tools, marker] in
            ClientEnd.end(tools)
            let others = ProcessTable.processes(withEnvironment: marker).filter { $0.pid != pid }
            if killLeftovers { ClientEnd.end(others.compactMap(ProcessHandle.init)) }
            return others.filter(ProcessTable.isRunning).map {
                LeftProcess(pid: $0.pid, command: ProcessTable.command(of: $0.pid))
            }
        }
    }

    /// SIGTERM, and SIGKILL to those that still run a second later.
    private static func end(_ processes: [ProcessHandle]) {
        let running = processes.filter { ProcessTable.isRunning($0.identity) }
        guard !running.isEmpty else { return }
        for process in running { process.send(.terminate) }
        if waitForEnd(of: running, milliseconds: 1000) { return }
        for process in running { process.send(.kill) }
        _ = waitForEnd(of: running, milliseconds: 1000)
    }

    /// Returns false if one of them still runs after this time. A child that has ended is taken from the table.
    @discardableResult
    static func waitForEnd(of processes: [ProcessHandle], milliseconds: Int) -> Bool {
        for _ in 0..<(milliseconds / 20) {
            if !processes.contains(where: { $0.status() == .running }) { return true }
            WorkerThread.sleep(milliseconds: 20)
        }
        return false
    }
}
