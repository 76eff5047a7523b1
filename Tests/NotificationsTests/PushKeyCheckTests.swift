import PushGateway
import Testing

@testable import Notifications

@Suite struct PushKeyCheckTests {
    private func check(_ status: Int, _ reason: APNsReason?) -> PushKeyCheck {
        let answer = PushAnswer(status: status, reason: reason?.rawValue)
        return PushKeyCheck(.rejected(answer, PushReaction.apns(status: status, reason: reason, tokenAge: 1)))
    }

    @Test(
        arguments: [
            (400, APNsReason.badDeviceToken, PushKeyCheck.Verdict.good, "good"),
            (403, .invalidProviderToken, .refused, "refuses the key"), (403, .forbidden, .refused, "refuses the key"),
            (403, nil, .refused, "refuses the key"), (403, .badEnvironmentKeyIDInToken, .refused, "environment"),
            (403, .expiredProviderToken, .refused, "clock"), (400, .topicDisallowed, .refused, "topic"),
            (400, .deviceTokenNotForTopic, .refused, "topic"), (429, .tooManyRequests, .undecided, "too often"),
            (429, .tooManyProviderTokenUpdates, .undecided, "20 minutes"), (429, nil, .undecided, "too often"),
            (500, .internalServerError, .undecided, "fails"), (503, .serviceUnavailable, .undecided, "fails"),
            (503, .shutdown, .undecided, "fails"), (400, .badPriority, .undecided, "the check itself"),
        ] as [(Int, APNsReason?, PushKeyCheck.Verdict, String)]
    )
    func anAnswerIsToldAsWhatItSays(status: Int, reason: APNsReason?, verdict: PushKeyCheck.Verdict, part: String) {
        let check = check(status, reason)
        #expect(check.verdict == verdict && check.status == status && check.reason == reason?.rawValue)
        #expect(check.message.contains(part), "\(check.message)")
    }

    @Test func withoutAnAnswerNothingIsSaidOfTheKey() {
        let causes: [UnsentCause] = [.expired(lastFailure: "refused"), .untrusted("self-signed"), .stopped, .queueFull]
        for cause in causes {
            let check = PushKeyCheck(.unsent(cause))
            #expect(check.verdict == .unreachable && check.message.hasSuffix("Nothing is known of the key."))
        }
        #expect(PushKeyCheck(.unsent(.untrusted("self-signed"))).message.contains("not trusted: self-signed"))
        #expect(PushKeyCheck(.unsent(.noProviderToken)).verdict == .refused)
        #expect(PushKeyCheck(.unknown(.noAnswer)).verdict == .unreachable)
    }
}
