internal import EventModel
internal import HTTPModel

/// What is stored at the end of a turn.
struct ChatTurnEnd: Sendable {
    /// OpenAI's reason, or the code of the error.
    let word: String
    let usage: ChatUsage?
    /// For repeats with the same idempotency key; `nil` keeps none.
    let answer: String?
    /// `nil` if the machine may go on with the turn. Then no repeat of the request runs it again.
    let at: Timestamp?
    let storedAt: Timestamp
    /// What the turn adds to the record of a plain chat. It is empty for a project chat.
    var chat = PlainChatEnding()

    init(_ outcome: ChatOutcome, _ usage: ChatUsage?, answer: String?, at time: Timestamp) {
        (self.usage, storedAt) = (usage, time)
        switch outcome {
        case .finished(let result): (word, self.answer, at) = (result.finishReason, answer, time)
        // Part of an answer is none.
        case .failed(let error): (word, self.answer, at) = (error.code, nil, outcome.isUnknown ? nil : time)
        }
    }
}

extension ChatOutcome {
    private static let unknownCodes: Set<String> = ["agent_unavailable", "agent_timeout"]

    /// Whether the error leaves open how far the machine has come.
    var isUnknown: Bool {
        guard case .failed(let error) = self else { return false }
        return ChatOutcome.unknownCodes.contains(error.code)
    }
}

extension ChatTurnRow {
    private static let finishReasons: Set<String> = ["stop", "length", "content_filter", "tool_calls"]

    /// Whether the turn ended with a whole answer.
    var isFinished: Bool { hasEnded && outcome.map(ChatTurnRow.finishReasons.contains) ?? false }
}
