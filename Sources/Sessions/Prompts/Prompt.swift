public import EventModel

/// A request of a session to a person, from the event that opened it to the event that ended it.
public struct Prompt: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable {
        case permission
        case question
        case plan
        case elicitation
        case input
    }

    public enum State: String, Sendable, CaseIterable {
        case open
        /// A person or a rule decided it.
        case answered
        /// The session continued, and the answer is unknown.
        case overtaken
        /// Denied because nobody answered in time.
        case expired
        /// The session ended.
        case gone
    }

    /// The kind of event that revealed the prompt.
    public enum Source: String, Sendable, CaseIterable {
        /// A tool call that asks for permission, or that is itself a question.
        case call
        /// A notification of a permission dialog, without the request itself.
        case dialog
        case elicitation
        /// A notification that an agent needs input.
        case input
        /// A notification that the turn has ended and no input has followed for a while.
        case idle
    }

    public enum Answerer: String, Sendable, CaseIterable {
        case terminal
        case rule
        case device
        case timeout
        case `operator`
    }

    public enum Decision: String, Sendable, CaseIterable {
        case allow
        case deny
    }

    /// The event that opened it.
    public let openedBy: EventID
    /// The opening event's log position.
    public let openingSeq: Int64
    /// On the session's own clock.
    public let openedAt: Timestamp
    public let sessionID: String
    public let machine: MachineID
    public internal(set) var workspaceID: String?
    public let kind: Kind
    public internal(set) var source: Source
    /// `nil` for the main agent.
    public internal(set) var agentID: String?
    public internal(set) var toolName: String?
    /// The prompt's id for clients: Claude's id of the call if it was known at opening, otherwise `id`. It never
    /// changes.
    public let toolUseID: String
    /// Claude's id of the call. It may become known after the opening.
    public internal(set) var callID: String?
    var inputHash: UInt64?
    /// The id of an elicitation.
    var elicitationID: String?
    /// One line of at most 400 bytes each.
    public internal(set) var title: String
    public internal(set) var detail: String
    public internal(set) var question: String?

    public internal(set) var state = State.open
    public internal(set) var closedAt: Timestamp?
    /// The event that shows how it ended. `nil` while the prompt is open, and if newer prompts displaced it.
    public internal(set) var evidence: EventID?
    public internal(set) var answeredBy: Answerer?
    public internal(set) var decision: Decision?

    /// `prm_` and the opening event's id as 32 hexadecimal digits.
    public var id: String { Prompt.id(openedBy) }

    /// The session waits for the answer. A session that is only idle does not.
    public var isWaitedFor: Bool { state == .open && source != .idle }

    static func id(_ event: EventID) -> String { "prm_" + event.description.filter { $0 != "-" } }
}

/// A change that an event made to the prompts of its session.
public enum PromptChange: Sendable, Equatable {
    case opened(Prompt)
    /// The prompt's dialog is shown to a person.
    case confirmed(Prompt)
    case closed(Prompt)
}

extension Sequence<PromptChange> {
    public var opened: Prompt? {
        for case .opened(let prompt) in self { return prompt }
        return nil
    }

    public var closed: [Prompt] {
        compactMap { change in
            guard case .closed(let prompt) = change else { return nil }
            return prompt
        }
    }
}
