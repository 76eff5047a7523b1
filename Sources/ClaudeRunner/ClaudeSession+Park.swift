internal import Workers

extension ClaudeSession {
    /// How long a client may take to end by itself, in seconds.
    private static let endSeconds = 5.0

    /// Whether the client works, or waits for a person: a turn, a prompt, a task in the background, or a tool.
    private func isBusy() async -> Bool {
        guard conversation.state == .idle, conversation.tasks.isEmpty else { return true }
        let pid = process.identity.pid
        return await runBlocking { ProcessTable.hasTools(pid) }
    }

    /// Writes the state of a parked session again.
    package static func restore(_ state: RunnerState, stateDirectory: String) {
        try? SessionFiles(directory: stateDirectory).write(state.bytes)
    }

    /// Ends an idle client, whose session is to go on later. The state file says so before the client ends, so that its
    /// hooks do not report the end of the session.
    ///
    /// - Returns: false if the client works, or has ended before.
    package func park() async -> Bool {
        guard exit == nil, !isParked, await !isBusy() else { return false }
        // Something may have begun meanwhile.
        guard exit == nil, !isParked, conversation.state == .idle, conversation.tasks.isEmpty else { return false }
        isParked = true
        let actions = try? change { $0.request(.endSession).actions }
        perform([.save] + (actions ?? []))
        if await !waitForExit(seconds: ClaudeSession.endSeconds) { _ = await stop(killLeftovers: false) }
        return exit != nil
    }
}
