import EventModel
import PushGateway
import Testing

@testable import Notifications

@Suite struct SettlementPolicyTests {
    private let now = PushSample.now

    private func settle(_ outcome: PushOutcome, _ push: PushRequest = PushSample.request()) -> Settlement {
        var breakers = PushBreakers()
        return SettlementPolicy.settle(outcome, of: push, &breakers, now: now)
    }

    private func refusal(
        _ status: Int,
        _ reason: String?,
        retry: PushRetry = .never,
        token: PushReaction.Token = .keep,
        fault: PushReaction.Fault? = nil
    ) -> PushOutcome {
        .rejected(PushAnswer(status: status, reason: reason), PushReaction(retry: retry, token: token, fault: fault))
    }

    private let taken = PushOutcome.accepted(PushAnswer(status: 200))

    @Test func whatIsTakenIsSentChargesTheBudgetAndProvesTheToken() {
        let settlement = settle(taken)
        #expect(settlement.state == .sent && settlement.status == 200)
        #expect(settlement.budget?.fullAt == now.adding(seconds: 180))
        #expect(settlement.token?.state == .active)
        #expect(!settlement.wasNotSubmitted)
    }

    @Test func aTokenThatIsGoneIsMarkedForTheRegistrationThatWasPushedTo() {
        let settlement = settle(refusal(410, "Unregistered", token: .drop))
        #expect(settlement.state == .failed && settlement.code == .tokenGone)
        #expect(settlement.token?.state == .gone && settlement.token?.registeredAt == now)
    }

    @Test func aBadTokenIsSetAsideUnlessTooManyAreBad() {
        var breakers = PushBreakers()
        var states: [PushTokenRecord.State?] = []
        for token: Int64 in 1...3 {
            let push = PushSample.request(id: token, token: token, device: DeviceID(rawValue: token))
            let result = refusal(400, "BadDeviceToken", token: .quarantine)
            states.append(SettlementPolicy.settle(result, of: push, &breakers, now: now).token?.state)
        }
        #expect(states == [.quarantined, .quarantined, nil])
        #expect(breakers.open(at: now).count == 1)
    }

    @Test func badTokensOfOneDeviceSuspendNothing() {
        var breakers = PushBreakers()
        for token: Int64 in 1...9 {
            let push = PushSample.request(id: token, token: token)
            let result = refusal(400, "BadDeviceToken", token: .quarantine)
            #expect(SettlementPolicy.settle(result, of: push, &breakers, now: now).token?.state == .quarantined)
        }
        #expect(breakers.open(at: now).isEmpty)
    }

    @Test(arguments: ["BadTopic", "TopicDisallowed"]) func aTopicThatTheAppSaidIsAFaultOfItsToken(reason: String) {
        let answer = PushAnswer(status: 400, reason: reason)
        let outcome = PushOutcome.rejected(answer, PushReaction.apns(status: 400, reason: answer.reason))
        var breakers = PushBreakers()
        let foreign = SettlementPolicy.settle(
            outcome.blamingTopicOnToken,
            of: PushSample.request(),
            &breakers,
            now: now
        )
        #expect(foreign.state == .failed && foreign.code == .tokenRefused)
        #expect(foreign.token?.state == .quarantined && foreign.token?.reason == reason)
        #expect(breakers.open(at: now).isEmpty)
        let ours = SettlementPolicy.settle(outcome, of: PushSample.request(), &breakers, now: now)
        #expect(ours.state == .waiting && ours.token == nil)
        #expect(breakers.open(at: now).map(\.cause) == [reason])
    }

    @Test func aFaultOfTheKeySuspendsTheChannelAndThePushWaits() {
        var breakers = PushBreakers()
        let result = refusal(403, "InvalidProviderToken", fault: .key)
        let settlement = SettlementPolicy.settle(result, of: PushSample.request(), &breakers, now: now)
        #expect(settlement.state == .waiting && settlement.code == .breaker)
        #expect(settlement.dueAt == now.adding(seconds: 60) && settlement.wasNotSubmitted)
        #expect(breakers.open(at: now).count == 1)
    }

    private func pause(_ settlement: Settlement) -> Double? { settlement.dueAt?.seconds(since: now) }

    @Test(arguments: [500, 503]) func aFailureOfTheServiceIsTriedAgainSoonAndThenLessOften(status: Int) {
        let result = PushOutcome.rejected(PushAnswer(status: status), PushReaction.apns(status: status, reason: nil))
        var pauses: [Double?] = []
        for retries: Int64 in 0..<8 {
            let settlement = settle(result, PushSample.request(expiresIn: 7200, retries: retries))
            #expect(settlement.state == .waiting && settlement.code == .retry && settlement.isRetried)
            pauses.append(pause(settlement))
        }
        #expect(pauses == [5, 10, 20, 40, 80, 160, 300, 300])
    }

    @Test func itWaitsAsLongAsAskedLongerOrShorter() {
        for seconds in [2, 5, 60, 400] {
            let settlement = settle(refusal(503, nil, retry: .after(seconds: seconds)))
            #expect(pause(settlement) == Double(seconds) && settlement.code == .retry)
        }
        #expect(pause(settle(refusal(503, nil, retry: .after(seconds: 0)))) == 1)
        // A service that asks for a second again and again is not asked each second.
        let again = settle(refusal(503, nil, retry: .after(seconds: 1)), PushSample.request(retries: 4))
        #expect(pause(again) == 80)
    }

    @Test func noWaitOutlivesThePushAndTheEndSaysWhatItWaitedFor() {
        let ends: [Double] = [1, 3, 5, 8, 20, 61, 600]
        let results: [PushOutcome] = [
            refusal(503, "ServiceUnavailable", retry: .backOff(from: 5)), refusal(429, nil, retry: .backOff(from: 60)),
            refusal(503, nil, retry: .after(seconds: 700)), refusal(503, nil, retry: .onceElsewhere),
            refusal(403, nil, fault: .key), .unsent(.queueFull), .unsent(.refused),
            .unsent(.expired(lastFailure: "connection refused")), .unsent(.untrusted("self-signed")),
            .unsent(.noProviderToken),
        ]
        for (end, result) in ends.flatMap({ end in results.map { (end, $0) } }) {
            for retries: Int64 in [0, 3, 60] {
                let settlement = settle(result, PushSample.request(expiresIn: end, retries: retries))
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
        let last = settle(refusal(503, nil, retry: .backOff(from: 5)), PushSample.request(expiresIn: 200, retries: 6))
        #expect(pause(last) == 195)
        let asked = settle(refusal(503, nil, retry: .after(seconds: 60)), PushSample.request(expiresIn: 30))
        #expect(asked.reason.contains("no other try before"))
    }

    @Test func whatIsTooLargeIsSentOnceMoreSmallerAndNotTwice() {
        let answers = [
            PushOutcome.rejected(PushAnswer(status: 413), PushReaction.webPush(status: 413)),
            PushOutcome.rejected(
                PushAnswer(status: 413, reason: "PayloadTooLarge"),
                PushReaction.apns(status: 413, reason: .payloadTooLarge)
            ),
        ]
        for result in answers {
            let first = settle(result)
            #expect(first.state == .waiting && first.code == .tooLarge && first.isTooLarge && first.dueAt == now)
            let second = settle(result, PushSample.request(isSmaller: true))
            #expect(second.state == .failed && second.code == .rejected)
        }
    }

    @Test func aTokenThatIsGoneShowsThatTheChannelWorks() {
        var breakers = PushBreakers()
        _ = breakers.failed(PushSample.channel, cause: "x", now: now)
        let gone = refusal(410, "Unregistered", token: .drop)
        _ = SettlementPolicy.settle(gone, of: PushSample.request(), &breakers, now: now)
        #expect(breakers.open(at: now).isEmpty && breakers.openings == 1)
    }

    /// What is written of each result is true in word and sentence.
    @Test func eachEndHasACodeOfItsStateAndASentenceThatSaysIt() {
        let rows: [(PushOutcome, PushState, PushCode, String)] = [
            (taken, .sent, .sent, "took it"),
            (refusal(410, "Unregistered", token: .drop), .failed, .tokenGone, "Unregistered"),
            (refusal(400, "BadDeviceToken", token: .quarantine), .failed, .tokenRefused, "BadDeviceToken"),
            (refusal(400, "BadPriority", fault: .request), .failed, .rejected, "BadPriority"),
            (refusal(418, nil), .failed, .rejected, "status 418"),
            (refusal(429, "TooManyRequests", retry: .backOff(from: 60)), .waiting, .retry, "TooManyRequests"),
            (refusal(503, nil, retry: .after(seconds: 9)), .waiting, .retry, "status 503"),
            (refusal(413, "PayloadTooLarge", retry: .onceSmaller), .waiting, .tooLarge, "too large"),
            (refusal(403, "Forbidden", fault: .key), .waiting, .breaker, "Forbidden"),
            (.unsent(.queueFull), .waiting, .congested, "Too many"),
            (.unsent(.expired(lastFailure: "refused")), .waiting, .unreachable, "not reached: refused"),
            (.unsent(.expired(lastFailure: nil)), .waiting, .unreachable, "not reached."),
            (.unsent(.untrusted("self-signed")), .waiting, .untrusted, "not trusted: self-signed"),
            (.unsent(.stopped), .waiting, .stopped, "stopped"), (.unsent(.refused), .waiting, .refused, "unread"),
            (.unsent(.noProviderToken), .waiting, .breaker, "does not sign"),
            (.unsent(.unusableService("no HTTP/2")), .failed, .unusableService, "no HTTP/2"),
            (.unknown(.noAnswer), .failed, .noAnswer, "never answered"),
        ]
        for (result, state, code, part) in rows {
            let settlement = settle(result)
            #expect(settlement.state == state && settlement.code == code, "\(result)")
            #expect(settlement.reason.contains(part), "\(settlement.reason)")
            #expect(code.states.contains(state))
        }
    }

    @Test func aServiceThatAsksForEternityEndsThePush() {
        let result = refusal(429, nil, retry: .after(seconds: .max))
        #expect(settle(result).state == .expired)
    }

    @Test func whatNeverLeftWaitsAndIsNotCountedAsSubmitted() {
        let causes: [UnsentCause] = [.queueFull, .expired(lastFailure: "connection refused"), .refused, .stopped]
        for cause in causes {
            let settlement = settle(.unsent(cause))
            #expect(settlement.state == .waiting && settlement.wasNotSubmitted, "\(cause)")
        }
        let unreachable = settle(.unsent(.expired(lastFailure: "connection refused")), PushSample.request(expiresIn: 5))
        #expect(unreachable.state == .expired && unreachable.code == .expired)
        #expect(unreachable.reason.contains("connection refused"))
    }

    @Test func anUnknownEndIsNotTriedAgain() {
        let settlement = settle(.unknown(.connectionLost))
        #expect(settlement.state == .failed && settlement.code == .noAnswer && !settlement.wasNotSubmitted)
    }

    @Test func aServiceThatCannotBeUsedTakesItsSubscriptionOut() {
        let settlement = settle(.unsent(.unusableService("no HTTP/2")))
        #expect(settlement.state == .failed && settlement.token?.state == .quarantined)
    }
}
