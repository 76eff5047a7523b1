internal import EventModel

/// Decides on one notice for one device. Called when the notice is due, and again after each wait.
///
/// The order is that of the pipeline in docs/push.md: the person's settings take precedence over the server's own
/// limits.
enum DeliveryRules {
    /// Seconds. A person who used a visible client within this time sees what happens there, so a prompt's push waits.
    /// It waits no longer than this in total: a client that stays open does not keep it from a person who has left.
    static let presenceSeconds = 60.0
    /// Seconds within which a newer notice with the same collapse id replaces an older one that is not sent yet.
    static let coalescingSeconds = 10.0
    /// Maximum seconds for which later notices can delay a notice that follows another.
    static let longestCoalescingSeconds = 30.0

    /// When to decide for the first time.
    static func firstDue(_ notice: Notification, _ preferences: ResolvedPreferences) -> Timestamp {
        guard notice.kind.isPrompt else { return notice.notBefore }
        let grace = Double(preferences.graceSeconds)
        let start = max(grace, unconfirmed(notice, preferences))
        let delay = notice.isReminder ? Double(preferences.reminderSeconds) + start - grace : start
        return max(notice.notBefore, notice.raisedAt.adding(seconds: delay))
    }

    /// A person who has set no grace period wants no other delay either.
    private static func unconfirmed(_ notice: Notification, _ preferences: ResolvedPreferences) -> Double {
        preferences.graceSeconds > 0 ? notice.unconfirmedSeconds : 0
    }

    static func decide(_ situation: DeliveryCase) -> DeliveryDecision {
        if let decision = finality(situation) ?? preference(situation) ?? mute(situation) { return decision }
        let quiet = quiet(situation)
        if case .decided(let decision) = quiet { return decision }
        return presence(situation) ?? grace(situation) ?? coalescing(situation) ?? sessionGap(situation)
            ?? budget(situation) ?? breaker(situation) ?? send(situation, isQuiet: quiet == .silent)
    }

    private static func finality(_ situation: DeliveryCase) -> DeliveryDecision? {
        if let reason = situation.recent.withdrawn {
            return .suppress(DeliveryReason(reason.code))
        }
        if situation.now >= situation.notice.expiresAt {
            return .suppress(DeliveryReason(.expired))
        }
        if situation.notice.kind == .resolved, !situation.recent.promptWasSent {
            return .suppress(DeliveryReason(.nothingToReplace))
        }
        return nil
    }

    private static func preference(_ situation: DeliveryCase) -> DeliveryDecision? {
        let notice = situation.notice
        let preferences = situation.preferences
        if !preferences.isEnabled(notice.kind) {
            return .suppress(DeliveryReason(.kindOff, "Notices of the kind \(notice.kind.rawValue) are switched off."))
        }
        if notice.isReminder, preferences.reminderSeconds == 0 {
            return .suppress(DeliveryReason(.remindersOff))
        }
        guard let duration = notice.details.durationSeconds else { return nil }
        if notice.details.reason == "idle_prompt", preferences.isEnabled(.finished),
            duration >= Double(preferences.minimumTurnSeconds)
        {
            return .suppress(DeliveryReason(.alreadyTold))
        }
        if notice.kind == .finished, duration < Double(preferences.minimumTurnSeconds) {
            let limit = preferences.minimumTurnSeconds
            return .suppress(DeliveryReason(.shortTurn, "The turn took less than \(limit) seconds."))
        }
        if notice.kind == .longTool, duration < Double(preferences.longToolSeconds) {
            let limit = preferences.longToolSeconds
            return .suppress(DeliveryReason(.shortTool, "The tool took less than \(limit) seconds."))
        }
        return nil
    }

    private static func mute(_ situation: DeliveryCase) -> DeliveryDecision? {
        guard situation.notice.kind != .resolved,
            let mute = situation.preferences.mutes.filter({ $0.until > situation.now }).max(by: { $0.until < $1.until })
        else { return nil }
        return situation.held(
            until: mute.until,
            DeliveryReason(.muted, "Muted for \(mute.layer.phrase) until \(mute.until).")
        )
    }

    private enum Quiet: Equatable {
        case no
        case silent
        case decided(DeliveryDecision)
    }

    private static func quiet(_ situation: DeliveryCase) -> Quiet {
        let kind = situation.notice.kind
        guard let hours = situation.preferences.quietHours,
            let end = hours.end(at: situation.now, utcOffset: situation.device.utcOffset)
        else { return .no }
        let reason = DeliveryReason(.quietHours, "The device has quiet hours until \(end).")
        switch kind {
        case .permission where hours.permissionPierces: return .no
        case .resolved: return .silent
        // A digest waits for the end of the quiet hours unless it expires earlier.
        case .digest where end < situation.notice.expiresAt: return .decided(.wait(until: end, reason))
        case .digest: return hours.delivery == .none ? .decided(.suppress(reason)) : .silent
        default: break
        }
        switch hours.delivery {
        case .silent: return .silent
        case .none: return .decided(situation.held(until: end, reason))
        case .digest: return kind.isPrompt ? .silent : .decided(.digest(at: end, reason))
        }
    }

    /// A person who is looking at the session needs no push, but does need one for a prompt that is still open when
    /// they leave.
    private static func presence(_ situation: DeliveryCase) -> DeliveryDecision? {
        let kind = situation.notice.kind
        guard kind != .resolved, kind != .digest, !situation.preferences.alwaysPushes(kind),
            case .viewers(let viewers) = situation.presence
        else { return nil }
        let seen = viewers.filter { viewer in
            viewer.isVisible
                && (viewer.device == situation.device.id
                    || viewer.sessionID != nil && viewer.sessionID == situation.notice.place.sessionID)
        }
        guard let last = seen.map(\.lastInteractionAt).max() else { return nil }
        let latest = kind.isPrompt ? min(last, situation.notice.raisedAt) : last
        let end = latest.adding(seconds: presenceSeconds)
        guard end > situation.now else { return nil }
        return situation.held(until: end, DeliveryReason(.viewerPresent))
    }

    private static func grace(_ situation: DeliveryCase) -> DeliveryDecision? {
        let due = firstDue(situation.notice, situation.preferences)
        guard due > situation.now else { return nil }
        if !situation.notice.isReminder,
            unconfirmed(situation.notice, situation.preferences) > Double(situation.preferences.graceSeconds)
        {
            return situation.waitingToEnd(until: due, DeliveryReason(.unconfirmed))
        }
        let isGrace = situation.notice.kind.isPrompt && !situation.notice.isReminder
        return situation.waitingToEnd(until: due, DeliveryReason(isGrace ? .grace : .notYetDue))
    }

    private static func coalescing(_ situation: DeliveryCase) -> DeliveryDecision? {
        let notice = situation.notice
        let recent = situation.recent
        // The resolution of another prompt does not replace an open prompt.
        if let newer = recent.newerSent, !(notice.kind.isPrompt && newer == .resolved) {
            return .suppress(DeliveryReason(.replaced))
        }
        let reason = DeliveryReason(.coalescing)
        if let sent = recent.sameCollapseSentAt {
            let free = sent.adding(seconds: coalescingSeconds)
            if free > situation.now { return situation.waiting(until: free, reason) }
        }
        if let due = recent.newerDueAt, due <= situation.now.adding(seconds: coalescingSeconds),
            situation.now.seconds(since: firstDue(notice, situation.preferences)) < longestCoalescingSeconds
        {
            return situation.waiting(until: max(due, situation.now).adding(seconds: 1), reason)
        }
        return nil
    }

    private static func sessionGap(_ situation: DeliveryCase) -> DeliveryDecision? {
        switch situation.notice.kind {
        case .permission, .resolved, .digest, .costThreshold, .serverFailed, .machineOffline: return nil
        default: break
        }
        guard let sent = situation.recent.sessionSentAt else { return nil }
        let gap = situation.preferences.sessionGapSeconds
        let free = sent.adding(seconds: Double(gap))
        guard free > situation.now else { return nil }
        return situation.waiting(
            until: free,
            DeliveryReason(.sessionGap, "Notices of one session are \(gap) seconds apart.")
        )
    }

    private static func budget(_ situation: DeliveryCase) -> DeliveryDecision? {
        let kind = situation.notice.kind
        guard kind != .resolved else { return nil }
        let budget = situation.preferences.budget
        // A machine that asks much does not hide the prompts of another.
        if kind == .permission, situation.recent.permissionsOfMachine < budget.burst { return nil }
        let next = situation.recent.budget.nextAllowed(budget, overdraft: kind == .permission)
        guard next > situation.now else { return nil }
        let reason = DeliveryReason(.budget, "The device got its \(budget.perHour) notices an hour.")
        return kind.isPrompt || kind == .digest
            ? situation.waiting(until: next, reason) : .digest(at: next, reason)
    }

    private static func breaker(_ situation: DeliveryCase) -> DeliveryDecision? {
        guard let until = situation.recent.breakerUntil, until > situation.now else { return nil }
        return situation.waitingToEnd(until: until, DeliveryReason(.breaker))
    }

    private static func send(_ situation: DeliveryCase, isQuiet: Bool) -> DeliveryDecision {
        let notice = situation.notice
        let preferences = situation.preferences
        let level = isQuiet ? .passive : preferences.level(of: notice.kind) ?? notice.defaultLevel
        let charged =
            notice.kind == .resolved
            ? situation.recent.budget : situation.recent.budget.charged(preferences.budget, at: situation.now)
        return .send(
            Delivery(
                level: level,
                hasSound: level > .passive,
                priority: level > .passive ? 10 : 5,
                expiresAt: notice.expiresAt,
                collapseID: notice.collapseID,
                threadID: NotificationNames.threadID(notice.place, by: preferences.grouping),
                relevance: notice.kind.relevance,
                privacy: preferences.privacy,
                budget: charged,
                reason: isQuiet
                    ? DeliveryReason(.sentSilently)
                    : DeliveryReason(.sent)
            )
        )
    }
}

extension DeliveryCase {
    /// A prompt waits. Other notices are suppressed.
    fileprivate func held(until time: Timestamp, _ reason: DeliveryReason) -> DeliveryDecision {
        notice.kind.isPrompt || notice.kind == .digest ? waiting(until: time, reason) : .suppress(reason)
    }

    /// Does not wait beyond the notice's expiry.
    fileprivate func waiting(until time: Timestamp, _ reason: DeliveryReason) -> DeliveryDecision {
        guard time < notice.expiresAt else {
            return .suppress(DeliveryReason(reason.code, reason.sentence + " It is of no use by then."))
        }
        return .wait(until: time, reason)
    }

    /// A wait that another event may end earlier, limited by the notice's expiry.
    fileprivate func waitingToEnd(until time: Timestamp, _ reason: DeliveryReason) -> DeliveryDecision {
        .wait(until: min(time, notice.expiresAt), reason)
    }
}

extension PreferenceLayer {
    fileprivate var phrase: String {
        switch self {
        case .everyone: "all devices"
        case .device: "this device"
        case .project: "this project"
        case .session: "this session"
        }
    }
}
