internal import EventModel
internal import Persistence

/// Committed events that have not been judged yet, in log order, with all that is remembered of those before them.
struct DetectionPage: Sendable {
    var events: [CommittedEvent]
    /// JSON of `SessionMonitorState`, of those of the page's sessions that have any.
    var watches: [String: [UInt8]] = [:]
    /// JSON of `SpendingWatch`, `nil` before the first page.
    var state: [UInt8]?
    /// The preferences of all devices.
    var preferences: [UInt8]?

    /// Pure: the same for the same page.
    func detect() -> DetectionResult {
        let everyone = preferences.flatMap { try? PushPreferences(json: $0) }
        var detector = NotificationDetector(
            rules: DetectorRules(costThresholds: everyone?.costThresholds ?? []),
            sessions: watches.compactMap { SessionMonitorState(sessionID: $0, stored: $1) },
            spending: state.flatMap { SpendingWatch(stored: $0) } ?? SpendingWatch()
        )
        var result = DetectionResult()
        for event in events { result.actions += detector.take(event) }
        for session in detector.changedSessions { result.watches[session.sessionID] = session.stored() }
        result.state = detector.spending.stored()
        return result
    }
}

/// What a page leads to.
struct DetectionResult: Sendable {
    /// In order: a withdrawal is about notifications before it.
    var actions: [NotificationAction] = []
    /// JSON of the sessions whose state has changed; `nil`: nothing is to be remembered.
    var watches: [String: [UInt8]?] = [:]
    /// JSON to remember for the next page.
    var state: [UInt8]?
}

/// What became of one run.
struct DetectionOutcome: Sendable, Equatable {
    var events = 0
    /// Events that were passed over: too old, or nobody is registered.
    var skipped: Int64 = 0
    /// Without those that were there already.
    var notices: Int64 = 0
    /// For how many tokens.
    var deliveries: Int64 = 0
    /// Notifications that a later event made void.
    var withdrawn: Int64 = 0
    /// Deliveries that need not wait any longer for a sign that a person is asked.
    var confirmed: Int64 = 0
    /// Deliveries that were withdrawn.
    var ended: PushTally = [:]
    /// Sessions whose state has changed.
    var activities = 0
    /// Whether more events wait.
    var hasMore = false
}

/// Which notifications are new and which of those known are void, of actions in order.
struct ActionPlan {
    struct Raised {
        var notice: Notification
        var withdrawnBecause: String?
    }

    private(set) var raised: [Raised] = []
    /// Prompts that stand before a person: after the new notifications are stored.
    private(set) var confirmed: Set<String> = []
    /// Of what is stored: before the new notifications are. What is raised and withdrawn in one page is sent to nobody,
    /// so it needs no resolution.
    private(set) var withdrawn: [Withdrawal] = []
    /// The newest state of each session whose state has changed.
    private(set) var activities: [ActivityState] = []

    init(_ actions: [NotificationAction]) {
        for action in actions {
            switch action {
            case .confirm(let key): confirmed.insert(key)
            case .raise(let notice): raised.append(Raised(notice: notice, withdrawnBecause: nil))
            case .withdraw(let withdrawal):
                let key = withdrawal.promptKey
                for index in raised.indices
                where raised[index].notice.promptKey == key && raised[index].withdrawnBecause == nil {
                    raised[index].withdrawnBecause = withdrawal.reason.rawValue
                }
                if !withdrawn.contains(where: { $0.promptKey == key }) { withdrawn.append(withdrawal) }
            case .updateActivity(let state):
                guard state.place.sessionID != nil else { continue }
                activities.removeAll { $0.place.sessionID == state.place.sessionID }
                activities.append(state)
            }
        }
    }
}
