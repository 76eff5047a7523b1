package import EventModel

extension Session {
    /// What a session is a record of.
    package enum Kind: String, Sendable, CaseIterable {
        /// Claude Code at work.
        case session
        /// A plain chat of a program. Only lists that ask for this kind have it.
        case chat
    }

    /// A plain chat, which has neither a directory nor events, and no process between its turns.
    package init(
        chat id: String,
        on machine: MachineID,
        named machineName: String,
        isRunning: Bool,
        startedAt: Timestamp,
        lastActivityAt: Timestamp
    ) {
        self.init(
            id: id,
            machine: machine,
            machineName: machineName,
            state: isRunning ? .running : .idle,
            stateSince: lastActivityAt,
            prompts: [],
            startedAt: startedAt,
            lastActivityAt: lastActivityAt,
            messageCount: 0,
            toolCallCount: 0,
            tokenUsage: TokenUsage(),
            lastSeq: 0
        )
        kind = .chat
    }
}
