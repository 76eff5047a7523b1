internal import ClientAPI
internal import EventModel
internal import PushGateway

extension PushKeyCheck {
    /// What the answer to a push for a device that does not exist says of the key. Apple looks at a device token last,
    /// so a complaint about it says that all else is right.
    init(_ result: PushResult) {
        switch result {
        case .accepted(let status): self.init(.good, "Key, team and topic are good.", status: status)
        case .rejected(let refusal): self.init(refusal)
        case .unsent(.expired(let failure)):
            let detail = failure.map { ": \($0)" } ?? ""
            self.init(.unreachable, "The push service was not reached\(detail). Nothing is known of the key.")
        case .unsent(.untrusted(let detail)):
            self.init(.unreachable, "The push service is not trusted: \(detail). Nothing is known of the key.")
        case .unsent(.noProviderToken): self.init(.refused, "The key does not sign.")
        case .unsent, .unknown, .malformed:
            self.init(.unreachable, "The check came to no end: \(result.code.sentence) Nothing is known of the key.")
        }
    }

    private init(_ refusal: PushResult.Refusal) {
        let (verdict, message) = PushKeyCheck.judge(refusal)
        self.init(verdict, message, status: refusal.status, reason: refusal.reason)
    }

    private init(_ verdict: Verdict, _ message: String, status: Int? = nil, reason: String? = nil) {
        self.init(verdict: verdict, status: status, reason: reason, message: message)
    }

    private static func judge(_ refusal: PushResult.Refusal) -> (Verdict, String) {
        let said = refusal.said
        if refusal.reason == APNsReason.badDeviceToken.rawValue || refusal.token == .drop {
            return (.good, "Key, team and topic are good.")
        }
        switch APNsReason(rawValue: refusal.reason ?? "") {
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
        switch refusal.status {
        case 403: return (.refused, "The push service refuses the key: \(said).")
        case 429: return (.undecided, "The push service is asked too often (\(said)). It has not judged the key.")
        case 500...599: return (.undecided, "The push service fails (\(said)). It has not judged the key.")
        default: return (.undecided, "The push service refuses the check itself (\(said)). It has not judged the key.")
        }
    }
}
