internal import EventModel

/// Moves one Live Activity on by what has come since it was last looked at.
struct LiveActivityUpdater {
    let preferences: ResolvedPreferences
    let now: Timestamp

    func move(_ activity: ClaimedActivity) -> (plan: LiveActivityPlan, steps: [LiveActivityStep]) {
        let (plan, steps) = LiveActivityPlan.update(stored: activity.plan) { advance(&$0, by: activity) }
        return (plan, steps)
    }

    private func advance(_ plan: inout LiveActivityPlan, by activity: ClaimedActivity) -> [LiveActivityStep] {
        guard preferences.liveActivities else { return plan.take(.switchedOff, at: now) }
        var steps: [LiveActivityStep] = []
        if let token = activity.updateToken ?? activity.startToken {
            steps += plan.take(.frequentUpdates(token.content.allowsFrequentUpdates), at: now)
        }
        if activity.tokenGone { steps += plan.take(.tokenGone, at: now) }
        if activity.tokenArrived { steps += plan.take(.tokenArrived, at: now) }
        if let state = activity.state { steps += plan.take(.state(state), at: now) }
        steps += plan.take(.due, at: now)
        return steps
    }

    /// Where a step goes; `nil`: there is no such token.
    static func token(for step: LiveActivityStep, of activity: ClaimedActivity) -> PushTokenRecord? {
        step.event == .start ? activity.startToken : activity.updateToken
    }
}
