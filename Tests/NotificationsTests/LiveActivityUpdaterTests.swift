import EventModel
import Testing

@testable import Notifications

@Suite struct LiveActivityUpdaterTests {
    private let now = PushSample.now

    private func activity(
        plan: LiveActivityPlan? = nil,
        phase: ActivityState.Phase? = nil,
        tokenArrived: Bool = false
    ) -> ClaimedActivity {
        let state = phase.map { phase in
            ActivityState(place: NotificationPlace(sessionID: "s"), phase: phase, since: now, at: now)
        }
        return ClaimedActivity(
            device: PushSample.device,
            sessionID: "s",
            plan: plan?.stored(),
            state: state,
            tokenArrived: tokenArrived,
            tokenGone: false,
            version: 1,
            startToken: PushSample.token()
        )
    }

    private func desk(on: Bool = true, after seconds: Double = 0) -> LiveActivityUpdater {
        var preferences = ResolvedPreferences()
        preferences.liveActivities = on
        return LiveActivityUpdater(preferences: preferences, now: now.adding(seconds: seconds))
    }

    @Test func aWaitStartsOneAndGoesToTheTokenThatStarts() throws {
        let waiting = activity(phase: .waiting)
        let (plan, steps) = desk().move(waiting)
        #expect(steps.map(\.event) == [.start])
        #expect(plan.nextDue != nil)
        let step = try #require(steps.first)
        #expect(LiveActivityUpdater.token(for: step, of: waiting)?.id == 1)
    }

    @Test func withoutThePersonsWishNothingStarts() {
        #expect(desk(on: false).move(activity(phase: .waiting)).steps.isEmpty)
    }

    @Test func onceItsOwnTokenIsThereTheEndIsTold() {
        let started = desk().move(activity(phase: .waiting)).plan
        let active = desk(after: 1).move(activity(plan: started, tokenArrived: true)).plan
        let (_, steps) = desk(after: 20).move(activity(plan: active, phase: .ended))
        #expect(steps.map(\.event) == [.end])
    }

    /// Moves, stores and moves again, as the service does when the plan is due, at most 1000 times.
    private func steps(
        of plan: LiveActivityPlan,
        on: Bool = true,
        from seconds: Double,
        until end: Double
    ) -> [LiveActivityStep] {
        var (stored, time, found) = (plan, now.adding(seconds: seconds), [LiveActivityStep]())
        for _ in 0..<1000 where time <= now.adding(seconds: end) {
            let moved = desk(on: on, after: time.seconds(since: now)).move(activity(plan: stored))
            found += moved.steps
            stored = moved.plan
            guard let due = stored.nextDue else { break }
            // The service looks again after 50 ms at the earliest.
            time = max(due, time.adding(seconds: 0.05))
        }
        return found
    }

    private var active: LiveActivityPlan {
        let started = desk().move(activity(phase: .waiting)).plan
        return desk(after: 1).move(activity(plan: started, tokenArrived: true)).plan
    }

    @Test func whatADueStepDidIsStored() {
        // The heartbeat of ten minutes, once in each, and the state in between once.
        #expect(steps(of: active, from: 1, until: 1900).map(\.event) == [.update, .update, .update])
        let answered = desk(after: 2).move(activity(plan: active, phase: .running))
        #expect(steps(of: answered.plan, from: 2, until: 300).map(\.event) == [.update])
    }

    @Test func anOldActivityIsStartedAnewOnce() {
        let aged = steps(of: active, from: 7.75 * 3600, until: 7.75 * 3600 + 200)
        #expect(aged.map(\.event) == [.end, .start])
    }

    @Test func whatIsSwitchedOffEndsOnce() {
        let first = desk(on: false, after: 5).move(activity(plan: active))
        #expect(first.steps.map(\.event) == [.end])
        let second = desk(on: false, after: 6).move(activity(plan: first.plan, phase: .running))
        #expect(second.steps.isEmpty)
    }

    @Test func theNextWaitIsShownAfterADueStep() {
        let due = desk(after: 601).move(activity(plan: active))
        #expect(due.steps.map(\.event) == [.update])
        let running = desk(after: 700).move(activity(plan: due.plan, phase: .running))
        let waiting = desk(after: 800).move(activity(plan: running.plan, phase: .waiting))
        #expect(waiting.steps.map(\.state.phase) == [.waiting])
        #expect(waiting.steps.first?.isUrgent == true)
    }
}
