import EventModel
import PushPolicy
import Testing

@testable import MonitorServer
@testable import Persistence

@Suite struct ActivityDeskTests {
    private let now = PushSample.now

    private func activity(
        plan: LiveActivityPlan? = nil,
        phase: ActivityState.Phase? = nil,
        tokenArrived: Bool = false
    ) -> ClaimedActivity {
        let state = phase.map { phase in
            ActivityState(place: NoticePlace(sessionID: "s"), phase: phase, since: now, at: now)
        }
        return ClaimedActivity(
            device: PushSample.device,
            sessionID: "s",
            plan: plan?.stored(),
            state: state?.stored(),
            tokenArrived: tokenArrived,
            tokenGone: false,
            version: 1,
            startToken: PushSample.token()
        )
    }

    private func desk(on: Bool = true, after seconds: Double = 0) -> ActivityDesk {
        var preferences = ResolvedPreferences()
        preferences.liveActivities = on
        return ActivityDesk(preferences: preferences, now: now.adding(seconds: seconds))
    }

    @Test func aWaitStartsOneAndGoesToTheTokenThatStarts() throws {
        let waiting = activity(phase: .waiting)
        let (plan, steps) = desk().move(waiting)
        #expect(steps.map(\.event) == [.start])
        #expect(plan.nextDue != nil)
        let step = try #require(steps.first)
        #expect(ActivityDesk.token(for: step, of: waiting)?.id == 1)
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
}
