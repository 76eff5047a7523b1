package import EventModel

/// Selects prompts, most recently opened first.
package struct PromptQuery: Sendable, Equatable {
    /// 1 to 200.
    package var limit: Int
    /// At most one of cursor and offset. The cursor's time is the opening time of a prompt.
    package var cursor: ListCursor?
    package var offset: Int?
    package var state: Prompt.State?
    package var kind: Prompt.Kind?
    package var sessionID: String?
    package var machine: MachineFilter?

    package init(limit: Int) {
        self.limit = limit
    }
}

/// A prompt, with the names of its machine for clients.
package struct PromptRecord: Sendable, Equatable {
    package var prompt: Prompt
    package var machineName: String
    /// The name that the machine reports, if any.
    package var reportedMachineName: String?
    package var content: PromptContent?
    /// Until when a hook waits for an answer, as it last said.
    package var heldUntil: Timestamp?
    /// An answer would reach Claude Code.
    package var isAnswerable = false
    /// `nil` unless a hook waits for an answer.
    package var terms: PromptTerms?
    /// `nil` if the session asks.
    package var caller: PromptCaller?

    package init(prompt: Prompt, machineName: String, reportedMachineName: String?) {
        self.prompt = prompt
        self.machineName = machineName
        self.reportedMachineName = reportedMachineName
    }
}

/// What is asked, as shown to people: secrets are masked. JSON in UTF-8.
package struct PromptContent: Sendable, Equatable {
    /// An object.
    package var toolInput: [UInt8]?
    /// An array of objects.
    package var questions: [UInt8]?
    package var plan: String?
    /// The JSON Schema of an elicitation.
    package var schema: [UInt8]?
    /// Where an elicitation asks a person to open an address instead.
    package var url: String?
    /// An array of objects.
    package var suggestions: [UInt8]?
    /// JSON Pointers into the tool's input: the values that are shown masked. The empty pointer is the whole input.
    package var masked: [String] = []
    /// A person does not see all of it, so only a refusal is possible.
    package var isTruncated = false

    package init() {}
}

package struct PromptPage: Sendable, Equatable {
    package var prompts: [PromptRecord]
    package var hasMore: Bool
    /// Number of matching prompts. Counted only if the query has an offset.
    package var total: Int64?

    package init(prompts: [PromptRecord], hasMore: Bool, total: Int64?) {
        self.prompts = prompts
        self.hasMore = hasMore
        self.total = total
    }
}
