internal import EventModel
internal import Sessions

/// Tells from committed events, in the order of the log, what may be pushed and what is over.
///
/// It knows no devices and no preferences but the ones in `DetectorRules`. The caller gives it the states of the page's
/// sessions, and stores what has changed in the transaction that stores the actions and the place in the log. To
/// evaluate the same page again then gives the same actions with the same keys.
struct NotificationDetector: Sendable {
    private(set) var spending: SpendingWatch
    private let rules: DetectorRules
    private var sessions: [String: SessionMonitorState] = [:]
    private var changed: Set<String> = []

    /// - Parameter sessions: those stored for the sessions of the events to come. A session without one starts anew.
    init(
        rules: DetectorRules = DetectorRules(),
        sessions: [SessionMonitorState] = [],
        spending: SpendingWatch = SpendingWatch()
    ) {
        self.rules = rules
        self.spending = spending
        for session in sessions { self.sessions[session.sessionID] = session }
    }

    /// The states that differ from those given, for the store.
    var changedSessions: [SessionMonitorState] { changed.sorted().compactMap { sessions[$0] } }

    /// The actions are in the order in which they are to be applied.
    mutating func take(_ event: CommittedEvent) -> [NotificationAction] {
        guard let sessionID = event.event.sessionID, var hook = HookEvent(event), hook.isWatched else { return [] }
        hook.parseDetails()
        var session = sessions[sessionID] ?? SessionMonitorState(sessionID: sessionID)
        let before = session
        let changes = session.prompts.take(hook)
        var actions = session.take(hook, changes)
        if session != before {
            sessions[sessionID] = session
            changed.insert(sessionID)
        }
        actions += spending.take(hook, rules: rules)
        return actions
    }
}

extension HookEvent {
    /// It says whether somebody is wanted, or is still at work.
    fileprivate var isWatched: Bool { concernsPrompts || name == .subagentStart }
}

/// What the detector is told of preferences: those that hold for all devices.
struct DetectorRules: Sendable, Equatable {
    /// US dollars of one day.
    var costThresholds: [Double] = []
    /// Seconds that the day of the costs begins before UTC's.
    var utcOffset = 0
}
