internal import EventModel
internal import Sessions

/// Derives notifications and withdrawals from committed events, in log order.
///
/// It knows no devices and no preferences. The caller passes the states of the page's sessions, and stores the changed
/// states in the transaction that stores the actions and the log position. Processing the same page again therefore
/// gives the same actions with the same keys.
struct NotificationDetector: Sendable {
    private var sessions: [String: SessionMonitorState] = [:]
    private var changed: Set<String> = []

    /// - Parameter sessions: the stored states of the sessions of the next events. A session without one starts
    ///   empty.
    init(sessions: [SessionMonitorState] = []) {
        for session in sessions { self.sessions[session.sessionID] = session }
    }

    /// The states that differ from those passed in, to be stored.
    var changedSessions: [SessionMonitorState] { changed.sorted().compactMap { sessions[$0] } }

    /// Returns the actions in the order in which they must be applied.
    mutating func take(_ event: CommittedEvent) -> [NotificationAction] {
        guard let sessionID = event.event.sessionID else { return [] }
        if let signal = PromptSignal(event) { return take(signal, event, in: sessionID) }
        guard var hook = HookEvent(event), hook.isWatched else { return [] }
        hook.parseDetails()
        var session = sessions[sessionID] ?? SessionMonitorState(sessionID: sessionID)
        let before = session
        hook.setTime(by: &session.prompts.clock)
        let changes = session.prompts.take(hook)
        let actions = session.take(hook, changes)
        if session != before {
            sessions[sessionID] = session
            changed.insert(sessionID)
        }
        return actions
    }

    /// A prompt of a session without a stored state has no notification.
    private mutating func take(
        _ signal: PromptSignal,
        _ event: CommittedEvent,
        in sessionID: String
    ) -> [NotificationAction] {
        guard var session = sessions[sessionID] else { return [] }
        let actions = session.take(signal, event)
        guard session != sessions[sessionID] else { return [] }
        sessions[sessionID] = session
        changed.insert(sessionID)
        return actions
    }
}

extension HookEvent {
    /// Whether the event shows that a person is needed or that an agent is still working.
    fileprivate var isWatched: Bool { concernsPrompts || name == .subagentStart }
}
