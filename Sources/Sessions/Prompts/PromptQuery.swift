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
    public var content: PromptContent?
    /// Until when a hook waits for an answer, as it last said.
    public var heldUntil: Timestamp?
    /// An answer would reach Claude Code.
    public var isAnswerable = false
    /// `nil` unless a hook waits for an answer.
    public var terms: PromptTerms?

    public init(prompt: Prompt, machineName: String, reportedMachineName: String?) {
        self.prompt = prompt
        self.machineName = machineName
        self.reportedMachineName = reportedMachineName
    }
}

/// What is asked, as shown to people: secrets are masked. JSON in UTF-8.
public struct PromptContent: Sendable, Equatable {
    /// An object.
    public var toolInput: [UInt8]?
    /// An array of objects.
    public var questions: [UInt8]?
    public var plan: String?
    /// The JSON Schema of an elicitation.
    public var schema: [UInt8]?
    /// Where an elicitation asks a person to open an address instead.
    public var url: String?
    /// An array of objects.
    public var suggestions: [UInt8]?
    /// JSON Pointers into the tool's input: the values that are shown masked. The empty pointer is the whole input.
    public var masked: [String] = []
    /// A person does not see all of it, so only a refusal is possible.
    public var isTruncated = false

    public init() {}
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
