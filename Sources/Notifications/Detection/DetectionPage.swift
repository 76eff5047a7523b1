internal import EventModel

/// Committed events that have not been processed yet, in log order, with the state from earlier events.
struct DetectionPage: Sendable {
    var events: [CommittedEvent]
    /// JSON of `SessionMonitorState`, for the sessions of the page that have one.
    var watches: [String: [UInt8]] = [:]

    /// A pure function of the page.
    func detect() -> DetectionResult {
        var detector = NotificationDetector(
            sessions: watches.compactMap { SessionMonitorState(sessionID: $0, stored: $1) }
        )
        var result = DetectionResult()
        for event in events { result.actions += detector.take(event) }
        for session in detector.changedSessions { result.watches[session.sessionID] = session.stored() }
        return result
    }
}

/// The result of processing a page.
struct DetectionResult: Sendable {
    /// In order: a withdrawal concerns earlier notifications.
    var actions: [NotificationAction] = []
    /// JSON of the sessions whose state has changed. `nil` removes the stored state.
    var watches: [String: [UInt8]?] = [:]
}

/// The result of one run.
struct DetectionOutcome: Sendable, Equatable {
    var events = 0
    /// Events that were skipped because they are too old or no device is registered.
    var skipped: Int64 = 0
    /// New notices, without those that already existed.
    var notices: Int64 = 0
    /// New deliveries, one per token.
    var deliveries: Int64 = 0
    /// Notifications that a later event withdrew.
    var withdrawn: Int64 = 0
    /// Deliveries that no longer wait for a confirmation that a person is being asked.
    var confirmed: Int64 = 0
    /// Deliveries that were withdrawn.
    var ended: PushTally = [:]
    /// Number of sessions whose activity state has changed.
    var activities = 0
    /// Whether more events are waiting.
    var hasMore = false
}

/// Derives new and withdrawn notifications from a sequence of actions.
struct ActionPlan {
    struct Raised {
        var notice: Notification
        var withdrawnBecause: String?
    }

    private(set) var raised: [Raised] = []
    /// Prompts that are shown to a person. Apply after the new notifications are stored.
    private(set) var confirmed: Set<String> = []
    /// Withdrawals of stored notifications. Apply before the new ones are stored. A notification that is raised and
    /// withdrawn in the same page is never sent, so it needs no resolution.
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
