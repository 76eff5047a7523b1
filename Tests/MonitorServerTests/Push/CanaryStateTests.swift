import EventModel
import Testing

@testable import MonitorServer

@Suite struct CanaryStateTests {
    private let now = PushSample.now

    /// One that was raised so many seconds ago; `nil`: for no token.
    private func canary(_ state: PushDecision.State?, ago seconds: Double, code: String? = nil) -> PushHistory {
        let raised = now.adding(seconds: -seconds)
        var history = PushHistory(
            noticeKey: "canary:7:60:\(seconds)",
            kind: "canary",
            eventSeq: nil,
            eventID: nil,
            sessionID: nil,
            raisedAt: raised,
            notBefore: raised,
            expiresAt: raised.adding(seconds: PushCanary.lifetimeSeconds),
            withdrawnAt: nil,
            withdrawnBecause: nil
        )
        guard let state else { return history }
        history.decisions = [
            PushDecision(
                id: 1,
                device: PushSample.device,
                tokenKind: "alert",
                tokenFingerprint: nil,
                apnsID: EventID(high: 1, low: 2),
                state: state,
                dueAt: raised,
                attempts: 1,
                submissions: 1,
                level: nil,
                collapseID: nil,
                code: code,
                reason: "Reason.",
                status: nil,
                decidedAt: state == .waiting || state == .claimed ? nil : raised.adding(seconds: 1)
            )
        ]
        return history
    }

    private func state(_ canaries: PushHistory...) -> CanaryState { CanaryState(canaries, now: now) }

    @Test func beforeTheFirstEndNothingIsKnown() {
        #expect(state().verdict == .waiting)
        #expect(state(canary(.waiting, ago: 5)).verdict == .waiting)
        #expect(state(canary(.claimed, ago: 5)).lastSuccess == nil)
    }

    @Test func theNewestEndCounts() {
        let good = state(canary(.sent, ago: 60), canary(.failed, ago: 3660, code: "token_gone"))
        #expect(good.verdict == .healthy && good.failure == nil)
        #expect(good.lastSuccess == now.adding(seconds: -59))
        let bad = state(canary(.failed, ago: 60, code: "token_gone"), canary(.sent, ago: 3660))
        #expect(bad.verdict == .failing && bad.failure?.code == "token_gone")
        #expect(bad.lastSuccess == now.adding(seconds: -3659))
    }

    @Test(arguments: [PushDecision.State.failed, .expired, .suppressed, .withdrawn])
    func whatWasNotTakenHasFailed(end: PushDecision.State) {
        #expect(state(canary(end, ago: 60)).verdict == .failing)
    }

    @Test func whileOneIsUnderWayTheOneBeforeCounts() {
        #expect(state(canary(.waiting, ago: 5), canary(.sent, ago: 3600)).verdict == .healthy)
        #expect(state(canary(.claimed, ago: 5), canary(.expired, ago: 3600)).verdict == .failing)
    }

    @Test func oneThatNobodyDecidesFails() {
        #expect(state(canary(.waiting, ago: 659), canary(.sent, ago: 3600)).verdict == .healthy)
        #expect(state(canary(.waiting, ago: 661), canary(.sent, ago: 3600)).failure?.code == "undecided")
    }

    @Test func aDeviceWithoutATokenFails() {
        #expect(state(canary(nil, ago: 5), canary(.sent, ago: 3600)).failure?.code == "no_push_token")
    }
}
