public import EventModel

/// Committed events that have not been judged yet, in log order, with all that the judgement remembers.
public struct PushPage: Sendable {
    public var events: [CommittedEvent]
    /// JSON that an earlier judgement gave, of those of the page's sessions that have any.
    public var watches: [String: [UInt8]] = [:]
    /// JSON that the last judgement gave, `nil` before the first.
    public var state: [UInt8]?
    /// The preferences of all devices.
    public var preferences: [UInt8]?

    public init(events: [CommittedEvent]) {
        self.events = events
    }
}

/// What is found worth telling.
public struct NewPushNotice: Sendable, Equatable {
    /// Unique; a second one with the same key is dropped.
    public var key: String
    public var kind: String
    public var eventSeq: Int64?
    public var eventID: EventID?
    public var sessionID: String?
    public var promptKey: String?
    public var collapseID: String?
    /// JSON.
    public var notice: [UInt8]
    public var raisedAt: Timestamp
    public var notBefore: Timestamp
    public var expiresAt: Timestamp

    public init(
        key: String,
        kind: String,
        eventSeq: Int64?,
        eventID: EventID?,
        sessionID: String?,
        promptKey: String?,
        collapseID: String?,
        notice: [UInt8],
        raisedAt: Timestamp,
        notBefore: Timestamp,
        expiresAt: Timestamp
    ) {
        self.key = key
        self.kind = kind
        self.eventSeq = eventSeq
        self.eventID = eventID
        self.sessionID = sessionID
        self.promptKey = promptKey
        self.collapseID = collapseID
        self.notice = notice
        self.raisedAt = raisedAt
        self.notBefore = notBefore
        self.expiresAt = expiresAt
    }
}

/// What a page leads to.
public struct PushJudgement: Sendable {
    public enum Action: Sendable, Equatable {
        case raise(NewPushNotice)
        /// `resolution`: for those tokens that a notice of the prompt was sent to. Several withdrawals may share one.
        case withdraw(promptKey: String, because: String, resolution: NewPushNotice?)
        case confirm(promptKey: String)
    }

    /// In order: a withdrawal is about notices before it.
    public var actions: [Action] = []
    /// JSON of the sessions whose state has changed; `nil`: nothing is to be remembered.
    public var watches: [String: [UInt8]?] = [:]
    /// The newest state of each session whose state has changed.
    public var activities: [NewActivityState] = []
    /// JSON to remember for the next page.
    public var state: [UInt8]?

    public init() {}
}

/// What became of one run.
public struct PushEvaluation: Sendable, Equatable {
    public var events = 0
    /// Events that were passed over: too old, or nobody is registered.
    public var skipped: Int64 = 0
    /// Without those that were there already.
    public var notices: Int64 = 0
    /// For how many tokens.
    public var deliveries: Int64 = 0
    /// Notices that a later event made void.
    public var withdrawn: Int64 = 0
    /// Deliveries that need not wait any longer for a sign that a person is asked.
    public var confirmed: Int64 = 0
    /// Deliveries that were withdrawn.
    public var ended: PushTally = [:]
    /// Sessions whose state has changed.
    public var activities = 0
    /// Whether more events wait.
    public var hasMore = false
}

/// Which notices are new and which of those known are void, of actions in order.
struct PushActionPlan {
    struct Raised {
        var notice: NewPushNotice
        var withdrawnBecause: String?
    }

    private(set) var raised: [Raised] = []
    /// Prompts that stand before a person: after the new notices are stored.
    private(set) var confirmed: Set<String> = []
    /// Prompts to withdraw of what is stored: before the new notices are.
    private(set) var withdrawn: [(promptKey: String, because: String)] = []
    /// By prompt. What is raised and withdrawn in one page is sent to nobody, so it needs no resolution.
    private(set) var resolutions: [(promptKey: String, notice: NewPushNotice)] = []

    init(_ actions: [PushJudgement.Action]) {
        var withdrawnKeys: Set<String> = []
        for action in actions {
            switch action {
            case .confirm(let key): confirmed.insert(key)
            case .raise(let notice): raised.append(Raised(notice: notice, withdrawnBecause: nil))
            case .withdraw(let key, let reason, let resolution):
                for index in raised.indices
                where raised[index].notice.promptKey == key && raised[index].withdrawnBecause == nil {
                    raised[index].withdrawnBecause = reason
                }
                guard withdrawnKeys.insert(key).inserted else { continue }
                withdrawn.append((key, reason))
                if let resolution { resolutions.append((key, resolution)) }
            }
        }
    }
}
