internal import EventModel

extension LiveActivityPlan {
    /// When to pass `due`. `nil` if there is nothing to do before the next input.
    var nextDue: Timestamp? {
        guard let startedAt, let lastSentAt, let shown else { return nil }
        switch stage {
        case .none, .gone: return nil
        case .starting: return startedAt.adding(seconds: LiveActivityPlan.startSeconds)
        case .active:
            let restart = startedAt.adding(seconds: LiveActivityPlan.longestSeconds)
            let isIdle = shown.phase == .idle && waiting == nil
            let calm = isIdle ? LiveActivityPlan.idleSeconds : LiveActivityPlan.heartbeatSeconds
            let next = waiting.map { updateDue($0) } ?? lastSentAt.adding(seconds: calm)
            return min(restart, next)
        }
    }

    mutating func take(_ input: Input, at now: Timestamp) -> [LiveActivityStep] {
        switch input {
        case .state(let state): return take(state, at: now)
        case .frequentUpdates(let allowed): allowsFrequent = allowed
        case .tokenArrived:
            guard stage == .starting || stage == .gone else { return [] }
            stage = .active
            return waiting.map { take($0, at: now) } ?? []
        case .tokenGone:
            if stage == .active || stage == .starting { stage = .gone }
        case .switchedOff:
            guard stage == .active, let shown else {
                stage = .none
                return []
            }
            return [end(shown, dismissAt: now, at: now)]
        case .due: return due(at: now)
        }
        return []
    }

    private mutating func take(_ state: ActivityState, at now: Timestamp) -> [LiveActivityStep] {
        switch stage {
        case .none: return state.phase == .waiting ? [start(state, at: now)] : []
        case .gone:
            let waited = (waiting ?? shown)?.phase == .waiting
            waiting = state
            return state.phase == .waiting && !waited ? [start(state, at: now)] : []
        case .starting: waiting = state
        case .active:
            waiting = nil
            if state.phase == .ended {
                return [end(state, dismissAt: now.adding(seconds: LiveActivityPlan.dismissalSeconds), at: now)]
            }
            guard let shown, !state.looksLike(shown) else { return [] }
            waiting = state
            if isUrgent(state) || updateDue(state) <= now { return [update(state, at: now)] }
        }
        return []
    }

    private mutating func due(at now: Timestamp) -> [LiveActivityStep] {
        guard let nextDue, nextDue <= now, let startedAt, let shown else { return [] }
        if stage == .starting {
            stage = .gone
            return []
        }
        let state = waiting ?? shown
        if startedAt.adding(seconds: LiveActivityPlan.longestSeconds) <= now {
            let ending = end(state, dismissAt: now, at: now)
            return state.phase == .idle ? [ending] : [ending, start(state, at: now)]
        }
        if waiting == nil, shown.phase == .idle {
            return [end(shown, dismissAt: now.adding(seconds: LiveActivityPlan.dismissalSeconds), at: now)]
        }
        return [update(state, at: now)]
    }

    /// Must not be late, because a person is needed.
    private func isUrgent(_ state: ActivityState) -> Bool {
        (state.phase == .waiting || state.phase == .error) && state.phase != shown?.phase
    }

    private func updateDue(_ state: ActivityState) -> Timestamp {
        let isSamePhase = state.phase == shown?.phase
        let gap = isSamePhase ? LiveActivityPlan.updateSeconds : LiveActivityPlan.phaseSeconds
        return (lastSentAt ?? .distantPast).adding(seconds: gap)
    }

    private mutating func start(_ state: ActivityState, at now: Timestamp) -> LiveActivityStep {
        stage = .starting
        startedAt = now
        // The system requires an alert with a start. The prompt's own notice makes the sound.
        return sent(.start, state, isUrgent: true, alerts: true, at: now)
    }

    private mutating func update(_ state: ActivityState, at now: Timestamp) -> LiveActivityStep {
        sent(.update, state, isUrgent: isUrgent(state), alerts: false, at: now)
    }

    private mutating func end(_ state: ActivityState, dismissAt: Timestamp, at now: Timestamp) -> LiveActivityStep {
        var step = sent(.end, state, isUrgent: true, alerts: false, at: now)
        step.dismissAt = dismissAt
        stage = .none
        return step
    }

    /// A step that the budget does not allow to be urgent is still sent, at the priority that does not count.
    private mutating func sent(
        _ event: LiveActivityStep.Event,
        _ state: ActivityState,
        isUrgent: Bool,
        alerts: Bool,
        at now: Timestamp
    ) -> LiveActivityStep {
        let limits = allowsFrequent ? LiveActivityPlan.frequentUrgentBudget : LiveActivityPlan.urgentBudget
        let isAllowed = budget.nextAllowed(limits, overdraft: false) <= now
        if isUrgent, isAllowed { budget = budget.charged(limits, at: now) }
        shown = state
        waiting = nil
        lastSentAt = now
        return LiveActivityStep(
            event: event,
            state: state,
            isUrgent: isUrgent && isAllowed,
            alerts: alerts,
            staleAt: event == .end ? nil : now.adding(seconds: 3 * LiveActivityPlan.heartbeatSeconds),
            dismissAt: nil
        )
    }
}

extension ActivityState {
    fileprivate func looksLike(_ other: ActivityState) -> Bool {
        phase == other.phase && pending == other.pending && toolName == other.toolName
            && sessionTitle == other.sessionTitle
    }
}
