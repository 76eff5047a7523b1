internal import EventModel

extension SessionWatch {
    func notice(_ prompt: OpenPrompt, _ hook: HookReading) -> PushNotice {
        var notice = notice(prompt.kind, hook)
        notice.key = prompt.key
        notice.promptKey = prompt.key
        notice.details.toolUseID = prompt.toolUseID
        notice.details.summary = hook.question ?? hook.summary
        notice.details.reason = reason(of: prompt)
        notice.details.pending = prompts.pending(prompt.kind)
        notice.unconfirmedSeconds = prompts.unconfirmedSeconds(prompt)
        if prompt.source == .idle { notice.details.durationSeconds = turn.lastSeconds }
        return notice
    }

    /// Due when the preferences say; before the earliest that they can say it need not be looked at.
    func reminder(of notice: PushNotice) -> PushNotice {
        var reminder = notice
        reminder.key += ":r"
        reminder.isReminder = true
        let earliest = PushPreferences.Bounds.reminderSeconds.lowerBound
        reminder.notBefore = notice.raisedAt.adding(seconds: Double(earliest))
        return reminder
    }

    /// What takes the place of a notice of this kind on devices that were told of it.
    func resolved(_ kind: NoticeKind, _ hook: HookReading) -> PushNotice {
        var notice = notice(.resolved, hook)
        notice.key = "r:\(NoticeNames.letter(kind)):\(hook.eventID)"
        notice.collapseID = NoticeNames.collapseID(kind, session: sessionID)
        notice.details = NoticeDetails(
            sessionTitle: title,
            reason: kind.isPrompt ? nil : kind.rawValue,
            pending: kind.isPrompt ? prompts.pending(kind) : nil
        )
        return notice
    }

    func notice(finished seconds: Double?, _ summary: String, _ hook: HookReading) -> PushNotice {
        var notice = withdrawable(.finished, hook)
        let wait = turn.isBlocked ? SessionWatch.blockedFinishSeconds : SessionWatch.finishSeconds
        notice.notBefore = notice.raisedAt.adding(seconds: wait)
        notice.details.summary = summary
        notice.details.toolName = nil
        notice.details.durationSeconds = seconds
        return notice
    }

    func notice(longTool seconds: Double, _ hook: HookReading) -> PushNotice {
        var notice = withdrawable(.longTool, hook)
        notice.notBefore = notice.raisedAt.adding(seconds: SessionWatch.mergeSeconds)
        notice.details.durationSeconds = seconds
        return notice
    }

    func notice(failure type: String, _ hook: HookReading) -> PushNotice {
        var notice = notice(.error, hook)
        notice.collapseID = NoticeNames.collapseID(.error, session: sessionID, detail: type)
        notice.details.reason = type
        return notice
    }

    func notice(_ kind: NoticeKind, _ hook: HookReading) -> PushNotice {
        PushNotice(
            key: "\(NoticeNames.letter(kind)):\(hook.eventID)",
            kind: kind,
            place: hook.place,
            seq: hook.seq,
            raisedAt: hook.receivedAt,
            notBefore: hook.receivedAt,
            expiresAt: expiry(of: kind, hook),
            collapseID: NoticeNames.collapseID(kind, session: sessionID),
            details: NoticeDetails(
                toolName: hook.toolName,
                toolUseID: hook.toolUseID,
                summary: hook.summary,
                sessionTitle: title,
                reason: hook.detail
            )
        )
    }

    private func withdrawable(_ kind: NoticeKind, _ hook: HookReading) -> PushNotice {
        var notice = notice(kind, hook)
        notice.promptKey = "\(NoticeNames.letter(kind)):\(NoticeNames.hash(sessionID)):\(hook.eventID)"
        return notice
    }

    /// A prompt is open until it is answered, however late its event came; what only tells something grows old with
    /// the event itself.
    private func expiry(of kind: NoticeKind, _ hook: HookReading) -> Timestamp {
        let isOpen = kind.isPrompt || kind == .resolved
        let start = isOpen ? hook.receivedAt : min(hook.time, hook.receivedAt)
        return start.adding(seconds: kind.lifetimeSeconds)
    }

    private func reason(of prompt: OpenPrompt) -> String? {
        switch prompt.source {
        case .call where prompt.kind == .question: prompt.call.toolName == "ExitPlanMode" ? "plan" : "question"
        case .call, .dialog: nil
        case .elicitation: "elicitation"
        case .input: "input"
        case .idle: "idle_prompt"
        }
    }
}
