internal import EventModel
internal import Sessions

extension SessionMonitorState {
    /// Processes the session's next event that does not come from a hook.
    mutating func take(_ signal: PromptSignal, _ event: CommittedEvent) -> [NotificationAction] {
        let time = prompts.clock.time(of: event.event)
        var signal = signal
        signal.setTime(time)
        let changes = prompts.take(signal)
        switch signal {
        case .interrupted:
            turn.interrupted(at: time)
            toolName = nil
        case .gone:
            turn.ended(at: time)
            (isEnded, toolName) = (true, nil)
        case .update, .refused: break
        }
        var actions = confirmations(of: changes, signal) + withdrawals(of: changes.closed, event)
        if let activity = activity(at: time, event) { actions.append(.updateActivity(activity)) }
        return actions
    }

    /// A hook that waits for an answer shows that a person is asked.
    private func confirmations(of changes: [PromptChange], _ signal: PromptSignal) -> [NotificationAction] {
        guard case .update(let update) = signal, update.step == .held else { return [] }
        return changes.compactMap { change in
            guard case .updated(let prompt) = change else { return nil }
            return .confirm(promptKey: promptKey(prompt))
        }
    }

    private func withdrawals(of closed: [Prompt], _ event: CommittedEvent) -> [NotificationAction] {
        closed.map { prompt in
            let kind = NotificationKind(prompt.kind)
            let received = event.event.receivedAt
            let resolved = Notification(
                key: "r:\(NotificationNames.letter(kind)):\(event.event.id)",
                kind: .resolved,
                place: NotificationPlace(event),
                seq: event.seq,
                eventID: event.event.id,
                raisedAt: received,
                notBefore: received,
                expiresAt: received.adding(seconds: NotificationKind.resolved.lifetimeSeconds),
                collapseID: NotificationNames.collapseID(kind, session: sessionID),
                details: NotificationDetails(sessionTitle: title, pending: pending(kind))
            )
            return .withdraw(
                Withdrawal(
                    promptKey: promptKey(prompt),
                    reason: WithdrawalReason(prompt),
                    at: received,
                    resolved: resolved
                )
            )
        }
    }
}
