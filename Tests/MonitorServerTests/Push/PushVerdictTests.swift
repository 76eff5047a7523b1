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
        #expect(verdict.settlement.state == .failed && verdict.settlement.code == .tokenGone)
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
        #expect(foreign.settlement.state == .failed && foreign.settlement.code == .tokenRefused)
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
        #expect(verdict.settlement.state == .waiting && verdict.settlement.code == .breaker)
        #expect(verdict.settlement.dueAt == now.adding(seconds: 60) && verdict.settlement.wasNotSubmitted)
        #expect(breakers.open(at: now).count == 1)
    }

    private func pause(_ settlement: PushSettlement) -> Double? { settlement.dueAt?.seconds(since: now) }

    @Test(arguments: [500, 503]) func aFailureOfTheServiceIsTriedAgainSoonAndThenLessOften(status: Int) {
        let answer = APNsAnswer(status: status, reason: nil)
        let result = PushResult(
            APNsOutcome.rejected(answer, APNsReaction.of(status: status, reason: nil)),
            isOwnTopic: false
        )
        var pauses: [Double?] = []
        for retries: Int64 in 0..<8 {
            let settlement = verdict(result, PushSample.ready(expiresIn: 7200, retries: retries)).settlement
            #expect(settlement.state == .waiting && settlement.code == .retry && settlement.isRetried)
            pauses.append(pause(settlement))
        }
        #expect(pauses == [5, 10, 20, 40, 80, 160, 300, 300])
    }

    @Test func itWaitsAsLongAsAskedLongerOrShorter() {
        for seconds in [2, 5, 60, 400] {
            let settlement = verdict(refusal(503, nil, retry: .after(seconds: seconds))).settlement
            #expect(pause(settlement) == Double(seconds) && settlement.code == .retry)
        }
        #expect(pause(verdict(refusal(503, nil, retry: .after(seconds: 0))).settlement) == 1)
        // A service that asks for a second again and again is not asked each second.
        let again = verdict(refusal(503, nil, retry: .after(seconds: 1)), PushSample.ready(retries: 4))
        #expect(pause(again.settlement) == 80)
    }

    @Test func noWaitOutlivesThePushAndTheEndSaysWhatItWaitedFor() {
        let ends: [Double] = [1, 3, 5, 8, 20, 61, 600]
        let results: [PushResult] = [
            refusal(503, "ServiceUnavailable", retry: .backOff(from: 5)), refusal(429, nil, retry: .backOff(from: 60)),
            refusal(503, nil, retry: .after(seconds: 700)), refusal(503, nil, retry: .onceElsewhere),
            refusal(403, nil, fault: .channel("InvalidProviderToken")), .unsent(.queueFull), .unsent(.refused),
            .unsent(.expired(lastFailure: "connection refused")), .unsent(.untrusted("self-signed")),
            .unsent(.noProviderToken),
        ]
        for (end, result) in ends.flatMap({ end in results.map { (end, $0) } }) {
            for retries: Int64 in [0, 3, 60] {
                let settlement = verdict(result, PushSample.ready(expiresIn: end, retries: retries)).settlement
                #expect(settlement.code.states.contains(settlement.state), "\(result)")
                if let due = settlement.dueAt {
                    #expect(due > now && due <= now.adding(seconds: end), "\(result)")
                } else {
                    #expect(settlement.state == .expired && settlement.code == .expired)
                    #expect(settlement.reason.count > PushCode.expired.sentence.count + 10)
                }
            }
        }
        // The last try comes shortly before the end.
        let last = verdict(refusal(503, nil, retry: .backOff(from: 5)), PushSample.ready(expiresIn: 200, retries: 6))
        #expect(pause(last.settlement) == 195)
        let asked = verdict(refusal(503, nil, retry: .after(seconds: 60)), PushSample.ready(expiresIn: 30))
        #expect(asked.settlement.reason.contains("no other try before"))
    }

    @Test func whatIsTooLargeIsSentOnceMoreSmallerAndNotTwice() {
        let answers = [
            PushResult(.rejected(WebPushAnswer(status: 413), WebPushReaction.of(status: 413))),
            PushResult(
                APNsOutcome.rejected(
                    APNsAnswer(status: 413, reason: "PayloadTooLarge"),
                    APNsReaction.of(status: 413, reason: .payloadTooLarge)
                ),
                isOwnTopic: false
            ),
        ]
        for result in answers {
            let first = verdict(result).settlement
            #expect(first.state == .waiting && first.code == .tooLarge && first.isTooLarge && first.dueAt == now)
            let second = verdict(result, PushSample.ready(isSmaller: true)).settlement
            #expect(second.state == .failed && second.code == .rejected)
        }
    }

    @Test func aTokenThatIsGoneShowsThatTheChannelWorks() {
        var breakers = PushBreakers()
        _ = breakers.failed(PushSample.channel, cause: "x", now: now)
        _ = PushVerdict(refusal(410, "Unregistered", token: .drop), of: PushSample.ready(), &breakers, now: now)
        #expect(breakers.open(at: now).isEmpty && breakers.openings == 1)
    }

    /// What is written of each result is true in word and sentence.
    @Test func eachEndHasACodeOfItsStateAndASentenceThatSaysIt() {
        let rows: [(PushResult, PushDecision.State, PushCode, String)] = [
            (.accepted(status: 200), .sent, .sent, "took it"),
            (refusal(410, "Unregistered", token: .drop), .failed, .tokenGone, "Unregistered"),
            (refusal(400, "BadDeviceToken", token: .quarantine), .failed, .tokenRefused, "BadDeviceToken"),
            (refusal(400, "BadPriority", fault: .request), .failed, .rejected, "BadPriority"),
            (refusal(418, nil), .failed, .rejected, "status 418"),
            (refusal(429, "TooManyRequests", retry: .backOff(from: 60)), .waiting, .retry, "TooManyRequests"),
            (refusal(503, nil, retry: .after(seconds: 9)), .waiting, .retry, "status 503"),
            (refusal(413, "PayloadTooLarge", retry: .onceSmaller), .waiting, .tooLarge, "too large"),
            (refusal(403, "Forbidden", fault: .channel("Forbidden")), .waiting, .breaker, "Forbidden"),
            (.unsent(.queueFull), .waiting, .congested, "Too many"),
            (.unsent(.expired(lastFailure: "refused")), .waiting, .unreachable, "not reached: refused"),
            (.unsent(.expired(lastFailure: nil)), .waiting, .unreachable, "not reached."),
            (.unsent(.untrusted("self-signed")), .waiting, .untrusted, "not trusted: self-signed"),
            (.unsent(.stopped), .waiting, .stopped, "stopped"), (.unsent(.refused), .waiting, .refused, "unread"),
            (.unsent(.noProviderToken), .waiting, .breaker, "does not sign"),
            (.unsent(.unusableService("no HTTP/2")), .failed, .unusableService, "no HTTP/2"),
            (.unknown(.noAnswer), .failed, .noAnswer, "never answered"),
            (.malformed("no topic"), .failed, .malformed, "no topic"),
        ]
        for (result, state, code, part) in rows {
            let settlement = verdict(result).settlement
            #expect(settlement.state == state && settlement.code == code, "\(result)")
            #expect(settlement.reason.contains(part), "\(settlement.reason)")
            #expect(code.states.contains(state))
        }
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
        #expect(unreachable.settlement.state == .expired && unreachable.settlement.code == .expired)
        #expect(unreachable.settlement.reason.contains("connection refused"))
    }

    @Test func anUnknownEndIsNotTriedAgain() {
        let settlement = verdict(.unknown(.connectionLost)).settlement
        #expect(settlement.state == .failed && settlement.code == .noAnswer && !settlement.wasNotSubmitted)
    }

    @Test func aServiceThatCannotBeUsedTakesItsSubscriptionOut() {
        let verdict = verdict(.unsent(.unusableService("no HTTP/2")))
        #expect(verdict.settlement.state == .failed && verdict.token?.state == .quarantined)
    }
}
