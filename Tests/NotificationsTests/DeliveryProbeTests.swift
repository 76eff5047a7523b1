import EventModel
import Testing

@testable import Notifications

@Suite struct DeliveryProbeTests {
    private let now = PushSample.now

    /// One that was raised so many seconds ago; `nil`: for no token.
    private func probe(_ state: PushState?, ago seconds: Double, code: String? = nil) -> PushHistory {
        let raised = now.adding(seconds: -seconds)
        var history = PushHistory(
            noticeKey: "canary:7:60:\(seconds)",
            kind: "canary",
            eventSeq: nil,
            eventID: nil,
            sessionID: nil,
            raisedAt: raised,
            notBefore: raised,
            expiresAt: raised.adding(seconds: DeliveryProbe.lifetimeSeconds),
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

    private func state(_ probes: PushHistory...) -> DeliveryProbeState { DeliveryProbeState(probes, now: now) }

    @Test func beforeTheFirstEndNothingIsKnown() {
        #expect(state().verdict == .waiting)
        #expect(state(probe(.waiting, ago: 5)).verdict == .waiting)
        #expect(state(probe(.claimed, ago: 5)).lastSuccess == nil)
    }

    @Test func theNewestEndCounts() {
        let good = state(probe(.sent, ago: 60), probe(.failed, ago: 3660, code: "token_gone"))
        #expect(good.verdict == .healthy && good.failure == nil)
        #expect(good.lastSuccess == now.adding(seconds: -59))
        let bad = state(probe(.failed, ago: 60, code: "token_gone"), probe(.sent, ago: 3660))
        #expect(bad.verdict == .failing && bad.failure?.code == "token_gone")
        #expect(bad.lastSuccess == now.adding(seconds: -3659))
    }

    @Test(arguments: [PushState.failed, .expired, .suppressed, .withdrawn])
    func whatWasNotTakenHasFailed(end: PushState) {
        #expect(state(probe(end, ago: 60)).verdict == .failing)
    }

    @Test func whileOneIsUnderWayTheOneBeforeCounts() {
        #expect(state(probe(.waiting, ago: 5), probe(.sent, ago: 3600)).verdict == .healthy)
        #expect(state(probe(.claimed, ago: 5), probe(.expired, ago: 3600)).verdict == .failing)
    }

    @Test func oneThatNobodyDecidesFails() {
        #expect(state(probe(.waiting, ago: 659), probe(.sent, ago: 3600)).verdict == .healthy)
        #expect(state(probe(.waiting, ago: 661), probe(.sent, ago: 3600)).failure?.code == "undecided")
    }

    @Test func aDeviceWithoutATokenFails() {
        #expect(state(probe(nil, ago: 5), probe(.sent, ago: 3600)).failure?.code == "no_push_token")
    }
}
