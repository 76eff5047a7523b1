internal import EventModel
internal import Sessions

/// The detector's state of one session: small, bounded, and stored between pages of the log.
struct SessionMonitorState: Sendable, Equatable {
    /// A notice that may still be withdrawn.
    struct Told: Sendable, Equatable {
        var key: String
        var at: Timestamp
    }

    struct ErrorMark: Sendable, Equatable {
        var type: String
        var at: Timestamp
    }

    /// An error of one type is reported once within this number of seconds.
    static let errorSeconds = 900.0
    static let maximumErrors = 16
    /// No preference allows shorter tools to count as long.
    static let longToolSeconds = Double(PushPreferences.Bounds.longToolSeconds.lowerBound)
    /// A long tool and the end of its turn within this number of seconds give a single notice.
    static let mergeSeconds = 15.0
    /// Seconds in which the turn may continue by itself.
    static let finishSeconds = 10.0
    /// The same for a session in which a Stop hook has continued a turn: it may do so again, and the model needs time
    /// to answer.
    static let blockedFinishSeconds = 30.0
    /// Seconds within which a session that starts repeatedly is reported once.
    static let startSeconds = 10.0

    let sessionID: String
    var prompts = PromptTracker()
    var turn = TurnWatch()
    var errors: [ErrorMark] = []
    var finished: Told?
    var longTool: Told?
    var repeats = RepeatWatch()
    /// The notice of the loop that an agent is in.
    var stuck: Told?
    var startedAt: Timestamp?
    var title: String?
    var isEnded = false
    var hasFailed = false
    /// The tool that the main agent is running.
    var toolName: String?
    var shown: ShownActivity?

    /// Whether the session has ended and nothing is open, so that the state can be deleted.
    var isOver: Bool { isEnded && prompts.open.isEmpty }

    /// - Parameter changes: the changes that `prompts` derived from the event.
    mutating func take(_ hook: HookEvent, _ changes: [PromptChange]) -> [NotificationAction] {
        note(hook)
        // A prompt that is displaced by the event's new prompt is withdrawn together with the opening.
        let closed = changes.closed.filter { $0.evidence != nil }
        var actions = withdrawals(of: closed, hook, before: changes.opened)
        let outcome = turn.take(hook)
        actions += follow(outcome, hook)
        actions += failure(hook)
        actions += life(hook)
        actions += longTool(hook, wasAsked: !closed.isEmpty)
        actions += open(hook, changes)
        actions += follow(repeatsOf: hook)
        if let activity = activity(at: hook.time, hook.committed) { actions.append(.updateActivity(activity)) }
        return actions
    }

    private mutating func note(_ hook: HookEvent) {
        if let title = hook.details.sessionTitle, !title.isEmpty { self.title = title }
        if title == nil, hook.name == .userPromptSubmit, !hook.isInjectedPrompt, hook.details.hasPromptText {
            title = hook.summary.cut(to: 120)
        }
        switch hook.name {
        case .sessionEnd: isEnded = true
        case .sessionStart, .userPromptSubmit, .preToolUse, .permissionRequest: isEnded = false
        default: break
        }
        guard hook.agentID == nil else { return }
        switch hook.name {
        case .stopFailure: hasFailed = true
        case .userPromptSubmit, .preToolUse, .stop, .sessionStart, .sessionEnd: hasFailed = false
        default: break
        }
        switch hook.name {
        case .preToolUse: toolName = hook.toolName
        case .userPromptSubmit, .stop, .stopFailure, .sessionStart, .sessionEnd: toolName = nil
        default: break
        }
    }

    private func withdrawals(of closed: [Prompt], _ hook: HookEvent, before opened: Prompt? = nil)
        -> [NotificationAction]
    {
        closed.map { prompt in
            .withdraw(
                Withdrawal(
                    promptKey: promptKey(prompt),
                    reason: WithdrawalReason(prompt, hook),
                    at: hook.receivedAt,
                    resolved: resolved(NotificationKind(prompt.kind), hook, before: opened)
                )
            )
        }
    }

    private func open(_ hook: HookEvent, _ changes: [PromptChange]) -> [NotificationAction] {
        let confirmed = changes.compactMap { change -> NotificationAction? in
            guard case .confirmed(let prompt) = change else { return nil }
            return .confirm(promptKey: promptKey(prompt))
        }
        let silenced = silenced(hook, changes)
        guard let prompt = changes.opened else { return silenced + confirmed }
        let forgotten = changes.closed.filter { $0.evidence == nil }
        let notice = self.notice(prompt, hook)
        var actions = withdrawals(of: forgotten, hook) + [.raise(notice)] + silenced + confirmed
        if notice.kind == .permission, silenced.isEmpty { actions.append(.raise(reminder(of: notice))) }
        return actions
    }

    /// Withdraws the notices of a request that devices are not notified of. Another event may have opened its prompt.
    private func silenced(_ hook: HookEvent, _ changes: [PromptChange]) -> [NotificationAction] {
        guard hook.isSilent, let prompt = changes.opened ?? prompts.open.last(where: { $0.requestedBy == hook.eventID })
        else { return [] }
        return [.withdraw(Withdrawal(promptKey: promptKey(prompt), reason: .silencedByMachine, at: hook.receivedAt))]
    }

    private mutating func follow(_ outcome: TurnWatch.Outcome, _ hook: HookEvent) -> [NotificationAction] {
        switch outcome {
        case .nothing: return []
        case .wentOn:
            guard let told = finished else { return [] }
            finished = nil
            return [withdrawal(told, .finished, .turnWentOn, hook)]
        case .finished(let seconds, let summary):
            // An earlier end of the same turn. This notice replaces the one that was sent for it.
            let former = finished.map { told in
                NotificationAction.withdraw(Withdrawal(promptKey: told.key, reason: .turnWentOn, at: hook.receivedAt))
            }
            let notice = self.notice(finished: seconds, summary, hook)
            finished = notice.promptKey.map { Told(key: $0, at: hook.time) }
            return [former].compactMap(\.self) + mergedLongTool(hook) + [.raise(notice)]
        }
    }

    /// Raises one notice for each loop, and withdraws it when the agent makes progress.
    private mutating func follow(repeatsOf hook: HookEvent) -> [NotificationAction] {
        repeats.take(hook)
        let loop = isEnded ? nil : repeats.loop
        switch (loop, stuck) {
        case (let loop?, nil):
            let notice = self.notice(stuckIn: loop, hook)
            stuck = notice.promptKey.map { Told(key: $0, at: hook.time) }
            return [.raise(notice)]
        case (nil, let told?):
            stuck = nil
            return [withdrawal(told, .stuck, isEnded ? .sessionEnded : .turnWentOn, hook)]
        default: return []
        }
    }

    private mutating func failure(_ hook: HookEvent) -> [NotificationAction] {
        guard hook.name == .stopFailure, hook.agentID == nil else { return [] }
        let type = hook.detail ?? "unknown"
        let merged = mergedLongTool(hook)
        if let last = errors.first(where: { $0.type == type }),
            hook.time.seconds(since: last.at) < SessionMonitorState.errorSeconds
        {
            return merged
        }
        errors.removeAll { $0.type == type }
        errors.append(ErrorMark(type: type, at: hook.time))
        if errors.count > SessionMonitorState.maximumErrors { errors.removeFirst() }
        return merged + [.raise(notice(failure: type, hook))]
    }

    private mutating func life(_ hook: HookEvent) -> [NotificationAction] {
        switch hook.name {
        case .sessionStart where hook.detail != "compact":
            if let startedAt, abs(hook.time.seconds(since: startedAt)) < SessionMonitorState.startSeconds { return [] }
            startedAt = hook.time
            return [.raise(notice(.sessionStarted, hook))]
        case .sessionEnd:
            // The person who ended the session manually has seen that it was done.
            let told = hook.detail == "other" ? nil : finished
            finished = nil
            let withdrawn = told.map { [withdrawal($0, .finished, .sessionEnded, hook)] } ?? []
            return withdrawn + [.raise(notice(.sessionEnded, hook))]
        default: return []
        }
    }

    private mutating func longTool(_ hook: HookEvent, wasAsked: Bool) -> [NotificationAction] {
        guard hook.name == .postToolUse || hook.name == .postToolUseFailure, hook.agentID == nil,
            !hook.isQuestionTool, !hook.details.isInterrupt, let seconds = duration(of: hook, wasAsked),
            seconds >= SessionMonitorState.longToolSeconds
        else { return [] }
        let notice = self.notice(longTool: seconds, hook)
        longTool = notice.promptKey.map { Told(key: $0, at: hook.time) }
        return [.raise(notice)]
    }

    /// Older CLIs do not report a tool's duration. The time since its start may include waiting for a person.
    private func duration(of hook: HookEvent, _ wasAsked: Bool) -> Double? {
        if let seconds = hook.details.durationSeconds { return seconds }
        guard !wasAsked, let id = hook.toolUseID, let startedAt = prompts.start(ofCall: id) else { return nil }
        return hook.time.seconds(since: startedAt)
    }

    private mutating func mergedLongTool(_ hook: HookEvent) -> [NotificationAction] {
        guard let told = longTool else { return [] }
        longTool = nil
        let isRecent = hook.time.seconds(since: told.at) < SessionMonitorState.mergeSeconds
        return isRecent ? [withdrawal(told, .longTool, .merged, hook)] : []
    }

    /// If the notice was sent, a silent one replaces it while it is still useful.
    private func withdrawal(
        _ told: Told,
        _ kind: NotificationKind,
        _ reason: WithdrawalReason,
        _ hook: HookEvent
    ) -> NotificationAction {
        let isOfUse = hook.time.seconds(since: told.at) < kind.lifetimeSeconds
        return .withdraw(
            Withdrawal(
                promptKey: told.key,
                reason: reason,
                at: hook.receivedAt,
                resolved: isOfUse ? resolved(kind, hook) : nil
            )
        )
    }
}
