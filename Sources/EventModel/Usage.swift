/// The usage in a range of whole days of a time zone, grouped by a dimension.
public struct UsageQuery: Sendable, Equatable {
    public enum Dimension: String, Sendable, CaseIterable {
        case day
        case machine
        case project
        case model
        case tool
    }

    /// The beginning of the first day, and of the day after the last day. For `Dimension.tool` it may be any quarter of
    /// an hour.
    public var from: Timestamp
    public var to: Timestamp
    public var by: Dimension
    package var zone = TimeZoneName.utc
    public var machine: MachineID?
    public var workspaceID: String?

    public init(from: Timestamp, to: Timestamp, by: Dimension) {
        self.from = from
        self.to = to
        self.by = by
    }
}

public struct UsageRow: Sendable, Equatable {
    /// Events, by the day on which the server received them.
    public struct Events: Sendable, Equatable {
        public var total: Int64
        public var prompts: Int64
        public var toolCalls: Int64
        public var toolFailures: Int64

        public init(total: Int64 = 0, prompts: Int64 = 0, toolCalls: Int64 = 0, toolFailures: Int64 = 0) {
            self.total = total
            self.prompts = prompts
            self.toolCalls = toolCalls
            self.toolFailures = toolFailures
        }
    }

    /// Sessions, by the day on which they began, with everything that they have used until now.
    public struct Sessions: Sendable, Equatable {
        public var count: Int64
        public var messages: Int64
        public var tokens: TokenUsage
        public var cost: Double
        /// The source of tokens and cost: `none` for those of hooks.
        public var source = SessionUsage.Source.none
        public var confidence = SessionUsage.Confidence.none
        /// The relative difference between the sources' costs, as a part of the higher one. Set only above 0.01.
        public var difference: Double?
        /// The part of the cost for models without a price; `nil` if there is none.
        public var unpriced: UnpricedUsage?

        public init(count: Int64 = 0, messages: Int64 = 0, tokens: TokenUsage = TokenUsage(), cost: Double = 0) {
            self.count = count
            self.messages = messages
            self.tokens = tokens
            self.cost = cost
        }
    }

    /// A date, the id of a machine or project, or a name; empty for usage that belongs to none.
    public var key: String
    /// The name of the machine or project.
    public var name: String?
    /// `nil` for models, because events do not name one.
    public var events: Events?
    /// `nil` for tools, because a session uses many.
    public var sessions: Sessions?

    public init(key: String, name: String? = nil, events: Events?, sessions: Sessions?) {
        self.key = key
        self.name = name
        self.events = events
        self.sessions = sessions
    }
}
