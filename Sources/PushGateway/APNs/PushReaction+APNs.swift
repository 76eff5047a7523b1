public import EventModel

extension PushReaction {
    /// A provider token may change once in this number of seconds.
    static let tokenUpdateWait = 20 * 60

    /// - Parameters:
    ///   - reason: `nil` if the answer has none or an unknown one.
    ///   - timestamp: the timestamp of a 410 answer.
    ///   - registeredAt: when the app last reported the device token.
    ///   - tokenAge: seconds since the refused provider token was made.
    ///   - retryAfter: the answer's header. It replaces the default wait, whether longer or shorter.
    public static func apns(
        status: Int,
        reason: APNsReason?,
        timestamp: Timestamp? = nil,
        registeredAt: Timestamp? = nil,
        tokenAge: Double? = nil,
        retryAfter: Int? = nil
    ) -> PushReaction {
        if status == 200 { return PushReaction(token: .confirmed) }
        if let reaction = reason.flatMap({ ofReason($0, tokenAge: tokenAge, retryAfter: retryAfter ?? 0) }) {
            return reaction
        }
        return ofStatus(status, timestamp: timestamp, registeredAt: registeredAt, retryAfter: retryAfter)
    }

    /// Returns `nil` for reasons that add nothing to their status.
    private static func ofReason(_ reason: APNsReason, tokenAge: Double?, retryAfter: Int) -> PushReaction? {
        switch reason {
        case .badCollapseID, .badExpirationDate, .badMessageID, .badPriority, .duplicateHeaders, .invalidPushType,
            .missingDeviceToken, .missingTopic, .payloadEmpty, .badPath, .methodNotAllowed, .missingProviderToken:
            PushReaction(fault: .request)
        case .badTopic, .topicDisallowed: PushReaction(fault: .topic)
        case .badDeviceToken, .deviceTokenNotForTopic: PushReaction(token: .quarantine)
        case .idleTimeout, .shutdown: PushReaction(retry: .onceElsewhere, connection: .retire)
        case .unrelatedKeyIDInToken: PushReaction(retry: .onceElsewhere, connection: .retire, fault: .key)
        case .badCertificate, .badCertificateEnvironment, .badEnvironmentKeyIDInToken:
            PushReaction(fault: .environment)
        case .invalidProviderToken, .forbidden: PushReaction(fault: .key)
        case .expiredProviderToken: expired(tokenAge: tokenAge)
        case .tooManyProviderTokenUpdates:
            PushReaction(
                retry: .after(seconds: max(tokenUpdateWait, retryAfter)),
                connection: .retire,
                fault: .tokenUpdates
            )
        case .payloadTooLarge: PushReaction(retry: .onceSmaller, fault: .payload)
        case .unregistered, .expiredToken, .tooManyRequests, .internalServerError, .serviceUnavailable: nil
        }
    }

    private static func ofStatus(
        _ status: Int,
        timestamp: Timestamp?,
        registeredAt: Timestamp?,
        retryAfter: Int?
    ) -> PushReaction {
        switch status {
        case 403: PushReaction(fault: .key)
        case 410: PushReaction(token: gone(since: timestamp, registeredAt: registeredAt))
        case 413: PushReaction(retry: .onceSmaller, fault: .payload)
        case 429: PushReaction(retry: .later(asked: retryAfter, from: throttledWait))
        case 400..<500: PushReaction(fault: .request)
        case 500..<600: PushReaction(retry: .later(asked: retryAfter, from: serverFailureWait))
        default: PushReaction(fault: .unexpected)
        }
    }

    /// A connection keeps refusing pushes after an expired token, so it is retired. A new connection gets a new token
    /// only if the current one may be replaced; otherwise a retry would get the same answer.
    private static func expired(tokenAge: Double?) -> PushReaction {
        let age = tokenAge ?? .infinity
        return PushReaction(
            retry: age > ProviderTokenSchedule.youngAge ? .onceElsewhere : .never,
            connection: .retire,
            fault: age < 55 * 60 ? .clockSkew : nil
        )
    }

    /// Proves nothing unless both times are known. A token that was registered again after the timestamp is valid.
    private static func gone(since timestamp: Timestamp?, registeredAt: Timestamp?) -> Token {
        guard let timestamp, let registeredAt else { return .quarantine }
        return registeredAt < timestamp ? .drop : .keep
    }
}
