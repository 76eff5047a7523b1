internal import EventModel
internal import Persistence
internal import PushPolicy

/// The judge, as the transaction that evaluates a page wants it: pure, and the same for the same page.
enum PushJudging {
    static func judge(_ page: PushPage) -> PushJudgement {
        let everyone = page.preferences.flatMap { try? PushPreferences(json: $0) }
        let watches = page.watches.compactMap { session, stored in SessionWatch(sessionID: session, stored: stored) }
        var judge = PushJudge(
            rules: JudgeRules(costThresholds: everyone?.costThresholds ?? []),
            watches: watches,
            spending: page.state.flatMap { SpendingWatch(stored: $0) } ?? SpendingWatch()
        )
        var judgement = PushJudgement()
        for event in page.events {
            judgement.actions += judge.take(event).compactMap { PushJudgement.Action($0, event: event.event.id) }
        }
        for watch in judge.changedWatches { judgement.watches[watch.sessionID] = watch.stored() }
        judgement.state = judge.spending.stored()
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
        case .updateActivity: return nil
        }
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
