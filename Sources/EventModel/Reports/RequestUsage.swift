/// What one source reports about one request to the model.
public struct RequestUsage: Sendable, Equatable {
    public enum Source: String, Sendable, CaseIterable {
        case otel
        case transcript
    }

    public var source: Source
    /// The API's `request-id`; `nil` if the source does not know it.
    public var requestID: String?
    /// The id of the answer, `msg_...`. Telemetry does not contain it.
    public var messageID: String?
    public var at: Timestamp
    public var model: String?
    public var tokens: RequestTokens
    /// US dollars, as reported by the source.
    public var costUSD: Double?
    /// What the request was for: `main`, `subagent`, `compact`, ...
    public var querySource: String?
    /// Claude's id of the turn.
    public var turnID: String?
    public var agentID: String?
    /// `fast`, or another speed that is not the usual one.
    public var speed: String?
    /// `batch`, or another tier that is not the usual one.
    public var serviceTier: String?
    /// Where the model ran, if the request named a place.
    public var geography: String?
    public var webSearches: Int64 = 0
    /// Distinguishes requests whose ids are missing or the same. In telemetry it is the number of the record. In a
    /// transcript it is a name for the answer, or `nil` if the ids are sufficient.
    public var answer: String?
    /// Claude Code's id of the session that made the request, if the transcript of another session repeats the request.
    public var origin: String?
    /// The tokens of each prompt, if the request had several prompts with an answer each; else empty. Their sum is
    /// `tokens`.
    public var iterations: [RequestTokens] = []
    /// The usage of other models that advised this one. `tokens` does not include it.
    public var advice: [AdviceUsage] = []

    public init(source: Source, at: Timestamp, tokens: RequestTokens) {
        self.source = source
        self.at = at
        self.tokens = tokens
    }
}

/// The usage of a model that advised another model.
public struct AdviceUsage: Sendable, Equatable {
    public var model: String
    public var tokens: RequestTokens

    public init(model: String, tokens: RequestTokens) {
        self.model = model
        self.tokens = tokens
    }
}

/// The cost of a session so far as the client reports it, including the client's own requests. Claude Code writes it
/// when a process ends.
public struct SessionCost: Sendable, Equatable {
    public var costUSD: Double
    public var tokens: RequestTokens
    /// When the process ended; `nil` if unknown.
    public var until: Timestamp?

    public init(costUSD: Double, tokens: RequestTokens, until: Timestamp?) {
        self.costUSD = costUSD
        self.tokens = tokens
        self.until = until
    }
}

/// What telemetry or a transcript adds to a session, in addition to the event itself.
public struct SessionReport: Sendable, Equatable {
    public var requests: [RequestUsage] = []
    public var cost: SessionCost?
    public var gitBranch: String?
    /// The earliest time that the source names, if it is before the time of the event.
    public var since: Timestamp?
    /// Whether the event shows that the session is working. Telemetry about settings and plugins does not.
    public var isActivity = false
    /// The source's own word for who refused the tool call, such as `user_reject` or `config`; `nil` if it was not
    /// refused.
    public var refusedBy: String?
    /// The sender's numbers of the record and of those before it that are not stored.
    public var numbers: RecordNumbers?
    /// The names of the session among the new lines.
    public var names = SessionNames()
    /// Prompts and answers among the new lines.
    public var messages: Int64 = 0
    /// Finished tool calls among the new lines.
    public var toolCalls: Int64 = 0

    public init() {}
}

/// A range of numbers that Claude Code gave to log records of telemetry. A process counts all of its records from 0,
/// over all of its sessions.
public struct RecordNumbers: Sendable, Equatable {
    public var first: Int64
    public var last: Int64
    /// The times of the first and the last record.
    public var since: Timestamp
    public var until: Timestamp
    /// The session has no records before `first`: the process began with it, or was in another session.
    public var isStart: Bool

    public init(first: Int64, last: Int64, since: Timestamp, until: Timestamp, isStart: Bool) {
        self.first = first
        self.last = last
        self.since = since
        self.until = until
        self.isStart = isStart
    }
}
