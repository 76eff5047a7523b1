internal import PushGateway

/// The result of checking the key with a push to a nonexistent device.
struct PushKeyCheck: Sendable, Equatable {
    enum Verdict: String, Sendable {
        case good
        case refused
        /// The service's answer does not depend on the key.
        case undecided
        case unreachable
    }

    let verdict: Verdict
    let status: Int?
    /// The reason in the service's words.
    let reason: String?
    /// Text for people.
    let message: String

    /// Interprets the answer to a push for a nonexistent device. Apple checks the device token last, so an error
    /// about the token shows that everything else is valid.
    init(_ outcome: PushOutcome) {
        switch outcome {
        case .accepted(let answer): self.init(.good, "Key, team and topic are good.", status: answer.status)
        case .rejected(let answer, let reaction):
            let (verdict, message) = PushKeyCheck.judge(answer, reaction)
            self.init(verdict, message, status: answer.status, reason: answer.reasonText)
        case .unsent(.expired(let failure)):
            let detail = failure.map { ": \($0)" } ?? ""
            self.init(.unreachable, "The push service was not reached\(detail). Nothing is known of the key.")
        case .unsent(.untrusted(let detail)):
            self.init(.unreachable, "The push service is not trusted: \(detail). Nothing is known of the key.")
        case .unsent(.noProviderToken): self.init(.refused, "The key does not sign.")
        case .unsent, .unknown:
            self.init(.unreachable, "The check came to no end: \(outcome.code.sentence) Nothing is known of the key.")
        }
    }

    private init(_ verdict: Verdict, _ message: String, status: Int? = nil, reason: String? = nil) {
        self.verdict = verdict
        self.status = status
        self.reason = reason
        self.message = message
    }

    private static func judge(_ answer: PushAnswer, _ reaction: PushReaction) -> (Verdict, String) {
        let said = answer.said
        if answer.reason == .badDeviceToken || reaction.token == .drop {
            return (.good, "Key, team and topic are good.")
        }
        switch answer.reason {
        case .tooManyProviderTokenUpdates:
            return (.undecided, "Apple says that provider tokens change too often (\(said)). Try again in 20 minutes.")
        case .badTopic, .topicDisallowed, .deviceTokenNotForTopic:
            return (.refused, "The key may not push to this topic: \(said).")
        case .badEnvironmentKeyIDInToken, .badCertificate, .badCertificateEnvironment:
            return (.refused, "The key is not for this environment of Apple's: \(said).")
        case .expiredProviderToken:
            return (.refused, "Apple takes the key's token for expired (\(said)). Check this machine's clock.")
        default: break
        }
        switch answer.status {
        case 403: return (.refused, "The push service refuses the key: \(said).")
        case 429: return (.undecided, "The push service is asked too often (\(said)). It has not judged the key.")
        case 500...599: return (.undecided, "The push service fails (\(said)). It has not judged the key.")
        default: return (.undecided, "The push service refuses the check itself (\(said)). It has not judged the key.")
        }
    }
}
