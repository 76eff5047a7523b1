import EventModel
import Persistence
import PushGateway
import Testing

@testable import MonitorServer

@Suite struct PushVerdictTests {
    private let now = PushSample.now

    private func verdict(_ result: PushResult, _ push: ReadyPush = PushSample.ready()) -> PushVerdict {
        var breakers = PushBreakers()
        return PushVerdict(result, of: push, &breakers, now: now)
    }

    private func refusal(
        _ status: Int,
        _ reason: String?,
        retry: PushRetry = .never,
        token: PushResult.Token = .keep,
        fault: PushResult.Fault? = nil
    ) -> PushResult {
        .rejected(PushResult.Refusal(status: status, reason: reason, retry: retry, token: token, fault: fault))
    }

    @Test func whatIsTakenIsSentChargesTheBudgetAndProvesTheToken() {
        let verdict = verdict(.accepted(status: 200))
        #expect(verdict.settlement.state == .sent && verdict.settlement.status == 200)
        #expect(verdict.settlement.budget?.fullAt == now.adding(seconds: 180))
        #expect(verdict.token?.state == .active)
        #expect(!verdict.settlement.wasNotSubmitted)
    }

    @Test func aTokenThatIsGoneIsMarkedForTheRegistrationThatWasPushedTo() {
        let verdict = verdict(refusal(410, "Unregistered", token: .drop))
        #expect(verdict.settlement.state == .failed && verdict.settlement.code == "token_gone")
        #expect(verdict.token?.state == .gone && verdict.token?.registeredAt == now)
    }

    @Test func aBadTokenIsSetAsideUnlessTooManyAreBad() {
        var breakers = PushBreakers()
        var states: [PushTokenRecord.State?] = []
        for token: Int64 in 1...3 {
            let push = PushSample.ready(id: token, token: token, device: DeviceID(rawValue: token))
            let result = refusal(400, "BadDeviceToken", token: .quarantine)
            states.append(PushVerdict(result, of: push, &breakers, now: now).token?.state)
        }
        #expect(states == [.quarantined, .quarantined, nil])
        #expect(breakers.open(at: now).count == 1)
    }

    @Test func badTokensOfOneDeviceSuspendNothing() {
        var breakers = PushBreakers()
        for token: Int64 in 1...9 {
            let push = PushSample.ready(id: token, token: token)
            let result = refusal(400, "BadDeviceToken", token: .quarantine)
            #expect(PushVerdict(result, of: push, &breakers, now: now).token?.state == .quarantined)
        }
        #expect(breakers.open(at: now).isEmpty)
    }

    @Test(arguments: ["BadTopic", "TopicDisallowed"]) func aTopicThatTheAppSaidIsAFaultOfItsToken(reason: String) {
        let answer = APNsAnswer(status: 400, reason: reason)
        let outcome = APNsOutcome.rejected(answer, APNsReaction.of(status: 400, reason: answer.reason))
        var breakers = PushBreakers()
        let foreign = PushVerdict(
            PushResult(outcome, isOwnTopic: true),
            of: PushSample.ready(),
            &breakers,
            now: now
        )
        #expect(foreign.settlement.state == .failed && foreign.settlement.code == "token_refused")
        #expect(foreign.token?.state == .quarantined && foreign.token?.reason == reason)
        #expect(breakers.open(at: now).isEmpty)
        let ours = PushVerdict(PushResult(outcome, isOwnTopic: false), of: PushSample.ready(), &breakers, now: now)
        #expect(ours.settlement.state == .waiting && ours.token == nil)
        #expect(breakers.open(at: now).map(\.cause) == [reason])
    }

    @Test func aFaultOfTheKeySuspendsTheChannelAndThePushWaits() {
        var breakers = PushBreakers()
        let result = refusal(403, "InvalidProviderToken", fault: .channel("InvalidProviderToken"))
        let verdict = PushVerdict(result, of: PushSample.ready(), &breakers, now: now)
        #expect(verdict.settlement.state == .waiting && verdict.settlement.code == "breaker")
        #expect(verdict.settlement.dueAt == now.adding(seconds: 60) && verdict.settlement.wasNotSubmitted)
        #expect(breakers.open(at: now).count == 1)
    }

    @Test func aRetryWaitsLongerEachTimeAndNotBeyondTheEnd() {
        let result = refusal(429, "TooManyRequests", retry: .after(seconds: 60))
        #expect(verdict(result).settlement.dueAt == now.adding(seconds: 60))
        #expect(verdict(result, PushSample.ready(attempts: 3)).settlement.dueAt == now.adding(seconds: 240))
        let late = verdict(result, PushSample.ready(expiresIn: 30))
        #expect(late.settlement.state == .expired && late.settlement.code == "retry")
    }

    @Test func aServiceThatAsksForEternityEndsThePush() {
        let result = refusal(429, nil, retry: .after(seconds: .max))
        #expect(verdict(result).settlement.state == .expired)
    }

    @Test func whatNeverLeftWaitsAndIsNotCountedAsSubmitted() {
        let causes: [UnsentCause] = [.queueFull, .expired(lastFailure: "connection refused"), .refused, .stopped]
        for cause in causes {
            let settlement = verdict(.unsent(cause)).settlement
            #expect(settlement.state == .waiting && settlement.wasNotSubmitted, "\(cause)")
        }
        let unreachable = verdict(.unsent(.expired(lastFailure: "connection refused")), PushSample.ready(expiresIn: 5))
        #expect(unreachable.settlement.state == .expired && unreachable.settlement.code == "unreachable")
        #expect(unreachable.settlement.reason.contains("connection refused"))
    }

    @Test func anUnknownEndIsNotTriedAgain() {
        let settlement = verdict(.unknown(.connectionLost)).settlement
        #expect(settlement.state == .failed && settlement.code == "no_answer" && !settlement.wasNotSubmitted)
    }

    @Test func aServiceThatCannotBeUsedTakesItsSubscriptionOut() {
        let verdict = verdict(.unsent(.unusableService("no HTTP/2")))
        #expect(verdict.settlement.state == .failed && verdict.token?.state == .quarantined)
    }
}
