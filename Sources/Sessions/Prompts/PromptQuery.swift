public import EventModel

/// Selects prompts, most recently opened first.
public struct PromptQuery: Sendable, Equatable {
    /// 1 to 200.
    public var limit: Int
    /// At most one of cursor and offset. The cursor's time is the opening time of a prompt.
    public var cursor: ActivityCursor?
    public var offset: Int?
    public var state: Prompt.State?
    public var kind: Prompt.Kind?
    public var sessionID: String?
    public var machine: MachineFilter?

    public init(limit: Int) {
        self.limit = limit
    }
}

/// A prompt, with the names of its machine for clients.
public struct PromptRecord: Sendable, Equatable {
    public var prompt: Prompt
    public var machineName: String
    /// The name that the machine reports, if any.
    public var reportedMachineName: String?

    public init(prompt: Prompt, machineName: String, reportedMachineName: String?) {
        self.prompt = prompt
        self.machineName = machineName
        self.reportedMachineName = reportedMachineName
    }
}

public struct PromptPage: Sendable, Equatable {
    public var prompts: [PromptRecord]
    public var hasMore: Bool
    /// Number of matching prompts. Counted only if the query has an offset.
    public var total: Int64?

    public init(prompts: [PromptRecord], hasMore: Bool, total: Int64?) {
        self.prompts = prompts
        self.hasMore = hasMore
        self.total = total
    }
}
