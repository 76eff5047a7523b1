internal import EventModel
internal import Persistence
internal import PushPolicy

/// The detector, as the transaction that evaluates a page wants it: pure, and the same for the same page.
enum PushJudging {
    static func judge(_ page: PushPage) -> PushJudgement {
        let everyone = page.preferences.flatMap { try? PushPreferences(json: $0) }
        let sessions = page.watches.compactMap { session, stored in
            SessionMonitorState(sessionID: session, stored: stored)
        }
        var detector = NotificationDetector(
            rules: DetectorRules(costThresholds: everyone?.costThresholds ?? []),
            sessions: sessions,
            spending: page.state.flatMap { SpendingWatch(stored: $0) } ?? SpendingWatch()
        )
        var judgement = PushJudgement()
        var newest: [NewActivityState] = []
        for event in page.events {
            for action in detector.take(event) {
                if let action = PushJudgement.Action(action, event: event.event.id) {
                    judgement.actions.append(action)
                } else if let state = NewActivityState(action) {
                    newest.removeAll { $0.sessionID == state.sessionID }
                    newest.append(state)
                }
            }
        }
        judgement.activities = newest
        for session in detector.changedSessions { judgement.watches[session.sessionID] = session.stored() }
        judgement.state = detector.spending.stored()
        return judgement
    }
}

extension PushJudgement.Action {
    /// `nil`: it is not the outbox's.
    fileprivate init?(_ action: PushAction, event: EventID) {
        switch action {
        case .raise(let notice): self = .raise(NewPushNotice(notice, eventID: event))
        case .withdraw(let withdrawal):
            self = .withdraw(
                promptKey: withdrawal.promptKey,
                because: withdrawal.reason.rawValue,
                resolution: withdrawal.resolved.map { NewPushNotice($0, eventID: event) }
            )
        case .confirm(let promptKey): self = .confirm(promptKey: promptKey)
        case .updateActivity: return nil
        }
    }
}

extension NewActivityState {
    fileprivate init?(_ action: PushAction) {
        guard case .updateActivity(let state) = action, let sessionID = state.place.sessionID else { return nil }
        self.init(
            sessionID: sessionID,
            workspaceID: state.place.workspaceID,
            state: state.stored(),
            mayBegin: state.phase == .waiting
        )
    }
}

extension NewPushNotice {
    init(_ notice: PushNotice, eventID: EventID?) {
        self.init(
            key: notice.key,
            kind: notice.kind.rawValue,
            eventSeq: notice.seq > 0 ? notice.seq : nil,
            eventID: eventID,
            sessionID: notice.place.sessionID,
            promptKey: notice.promptKey,
            collapseID: notice.collapseID,
            notice: notice.stored(),
            raisedAt: notice.raisedAt,
            notBefore: notice.notBefore,
            expiresAt: notice.expiresAt
        )
    }
}
