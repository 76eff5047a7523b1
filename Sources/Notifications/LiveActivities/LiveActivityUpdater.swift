internal import EventModel

/// Advances one Live Activity by the input that has arrived since it was last processed.
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

    /// The token for a step, or `nil` if there is none.
    static func token(for step: LiveActivityStep, of activity: ClaimedActivity) -> PushTokenRecord? {
        step.event == .start ? activity.startToken : activity.updateToken
    }
}
