internal import EventModel
internal import Sessions

extension SessionMonitorState {
    func notice(_ prompt: Prompt, _ hook: HookEvent) -> Notification {
        var notice = notice(NotificationKind(prompt.kind), hook)
        notice.key = promptKey(prompt)
        notice.promptKey = notice.key
        notice.details.toolUseID = prompt.toolUseID
        notice.details.summary = prompt.kind == .permission ? hook.summary : hook.details.question ?? hook.summary
        notice.details.isSummaryComplete = prompt.kind == .permission && prompt.isDetailComplete
        notice.details.reason = reason(of: prompt)
        notice.details.pending = pending(notice.kind)
        notice.unconfirmedSeconds = unconfirmedSeconds(prompt)
        if prompt.source == .idle { notice.details.durationSeconds = turn.lastSeconds }
        return notice
    }

    /// The key under which a prompt's notices are raised and withdrawn.
    func promptKey(_ prompt: Prompt) -> String {
        "\(NotificationNames.letter(.permission)):\(NotificationNames.hash(sessionID)):\(prompt.openedBy)"
    }

    /// Number of open prompts of a kind, without the prompt that is being opened.
    func pending(_ kind: NotificationKind, before opened: Prompt? = nil) -> Int {
        prompts.open.count { NotificationKind($0.kind) == kind && $0.openedBy != opened?.openedBy }
    }

    /// Seconds to wait for the notification of a request's dialog. Without the notification, perhaps no person was
    /// asked. It arrives 6 s after the dialog, or later if the person is typing. Only dialogs of the main agent are
    /// known to have one.
    private func unconfirmedSeconds(_ prompt: Prompt) -> Double {
        guard prompt.source == .call, prompt.kind == .permission, prompt.agentID == nil else { return 0 }
        switch (prompts.announcesDialogs, prompts.isAutomatic) {
        case (false, false): return 0
        case (true, true): return 300
        case (true, false), (false, true): return 30
        }
    }

    /// The preferences decide when it is due. `notBefore` is the earliest time that they allow.
    func reminder(of notice: Notification) -> Notification {
        var reminder = notice
        reminder.key += Notification.reminderSuffix
        reminder.isReminder = true
        let earliest = PushPreferences.Bounds.reminderSeconds.lowerBound
        reminder.notBefore = notice.raisedAt.adding(seconds: Double(earliest))
        return reminder
    }

    /// The notice that replaces one of this kind on devices to which it was sent.
    func resolved(_ kind: NotificationKind, _ hook: HookEvent, before opened: Prompt? = nil) -> Notification {
        var notice = notice(.resolved, hook)
        notice.key = "r:\(NotificationNames.letter(kind)):\(hook.eventID)"
        notice.collapseID = NotificationNames.collapseID(kind, session: sessionID)
        notice.details = NotificationDetails(
            sessionTitle: title,
            reason: kind.isPrompt ? nil : kind.rawValue,
            pending: kind.isPrompt ? pending(kind, before: opened) : nil
        )
        return notice
    }

    func notice(finished seconds: Double?, _ summary: String, _ hook: HookEvent) -> Notification {
        var notice = withdrawable(.finished, hook)
        let wait = turn.isBlocked ? SessionMonitorState.blockedFinishSeconds : SessionMonitorState.finishSeconds
        notice.notBefore = notice.raisedAt.adding(seconds: wait)
        notice.details.summary = summary
        notice.details.toolName = nil
        notice.details.durationSeconds = seconds
        return notice
    }

    func notice(longTool seconds: Double, _ hook: HookEvent) -> Notification {
        var notice = withdrawable(.longTool, hook)
        notice.notBefore = notice.raisedAt.adding(seconds: SessionMonitorState.mergeSeconds)
        notice.details.durationSeconds = seconds
        return notice
    }

    func notice(stuckIn loop: Session.Loop, _ hook: HookEvent) -> Notification {
        var notice = withdrawable(.stuck, hook)
        notice.details.toolName = loop.toolName
        notice.details.count = loop.count
        return notice
    }

    func notice(failure type: String, _ hook: HookEvent) -> Notification {
        var notice = notice(.error, hook)
        notice.collapseID = NotificationNames.collapseID(.error, session: sessionID, detail: type)
        notice.details.reason = type
        return notice
    }

    func notice(_ kind: NotificationKind, _ hook: HookEvent) -> Notification {
        Notification(
            key: "\(NotificationNames.letter(kind)):\(hook.eventID)",
            kind: kind,
            place: hook.place,
            seq: hook.seq,
            eventID: hook.eventID,
            raisedAt: hook.receivedAt,
            notBefore: hook.receivedAt,
            expiresAt: expiry(of: kind, hook),
            collapseID: NotificationNames.collapseID(kind, session: sessionID),
            details: NotificationDetails(
                toolName: hook.toolName,
                toolUseID: hook.toolUseID,
                summary: hook.summary,
                sessionTitle: title,
                reason: hook.detail
            )
        )
    }

    private func withdrawable(_ kind: NotificationKind, _ hook: HookEvent) -> Notification {
        var notice = notice(kind, hook)
        notice.promptKey = "\(NotificationNames.letter(kind)):\(NotificationNames.hash(sessionID)):\(hook.eventID)"
        return notice
    }

    /// A prompt is open until it is answered, however late its event arrived. Other notices expire relative to the
    /// event's time.
    private func expiry(of kind: NotificationKind, _ hook: HookEvent) -> Timestamp {
        let isOpen = kind.isPrompt || kind == .resolved
        let start = isOpen ? hook.receivedAt : min(hook.time, hook.receivedAt)
        return start.adding(seconds: kind.lifetimeSeconds)
    }

    private func reason(of prompt: Prompt) -> String? {
        switch prompt.kind {
        case .permission: nil
        case .question, .plan, .elicitation: prompt.kind.rawValue
        case .input: prompt.source == .idle ? "idle_prompt" : "input"
        }
    }
}

extension HookEvent {
    var place: NotificationPlace { NotificationPlace(committed) }
}

extension NotificationPlace {
    init(_ committed: CommittedEvent) {
        let event = committed.event
        self.init(
            sessionID: event.sessionID,
            workspaceID: committed.workspaceID,
            machineName: event.machineName,
            projectName: event.projectPath.map(DirectoryPath.lastPart)
        )
    }
}

extension NotificationKind {
    init(_ kind: Prompt.Kind) { self = kind == .permission ? .permission : .question }
}

extension WithdrawalReason {
    /// - Parameter hook: the event that ended the prompt.
    init(_ prompt: Prompt, _ hook: HookEvent) {
        switch prompt.state {
        case .overtaken where prompt.evidence != nil && prompt.isSettled(by: hook): self = .answeredElsewhere
        case .answered where prompt.answeredBy == .rule && prompt.decision == .allow: self = .autoApproved
        case .answered where hook.name == .userPromptSubmit: self = .turnWentOn
        default: self.init(prompt)
        }
    }

    /// - Parameter prompt: not ended by a hook's event.
    init(_ prompt: Prompt) {
        switch prompt.state {
        case .gone: self = .sessionEnded
        case .overtaken: self = prompt.evidence == nil ? .forgotten : .turnWentOn
        case .open, .answered, .expired: self = .answeredElsewhere
        }
    }
}

extension Prompt {
    /// The event shows that the prompt's own call or its batch has been settled.
    fileprivate func isSettled(by hook: HookEvent) -> Bool {
        switch hook.name {
        case .postToolBatch: true
        case .preToolUse, .permissionRequest: source == .call
        default: false
        }
    }
}
