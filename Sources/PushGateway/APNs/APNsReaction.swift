public import EventModel

/// What an answer asks for, in four independent respects.
public struct APNsReaction: Sendable, Equatable {
    public typealias Retry = PushRetry
    public typealias Connection = PushConnectionVerdict

    public enum DeviceToken: Sendable, Equatable {
        /// Proven good just now.
        case confirmed
        case keep
        /// Do not use it until somebody has looked: the code also comes for every token of a wrong environment.
        case quarantine
        /// Apple found it gone after the app last reported it.
        case drop
    }

    /// Something a person or the code must put right, named for breakers and alarms.
    public enum Fault: Sendable, Equatable {
        /// The request was malformed although it was checked.
        case request
        case payload
        /// The key may not push to this topic: stop pushing for (key, topic).
        case topic
        /// Apple does not take the key's tokens: stop pushing with this key.
        case key
        /// Key or device token belong to the other environment: stop pushing to this one.
        case environment
        /// A provider token was called expired that is not, by this machine's clock.
        case clockSkew
        case tokenUpdates
        /// An answer that the protocol does not have.
        case unexpected
    }

    public var retry = Retry.never
    public var deviceToken = DeviceToken.keep
    public var connection = Connection.keep
    public var fault: Fault?

    /// Seconds before the first other try where Apple names none, after a failure of its own. Its manual speaks of 15
    /// minutes, by which a prompt for permission is over.
    static let serverFailureWait = 5
    /// The same after too many requests.
    static let throttledWait = 60
    /// Provider tokens may change once in this many seconds.
    static let tokenUpdateWait = 20 * 60

    /// - Parameters:
    ///   - reason: `nil` for an answer without one, or with one that is not known yet.
    ///   - timestamp: the answer's, with 410.
    ///   - registeredAt: when the app last reported the device token.
    ///   - tokenAge: seconds since the provider token that was refused was made.
    ///   - retryAfter: the answer's header: how long to wait, longer or shorter than without it.
    public static func of(
        status: Int,
        reason: APNsReason?,
        timestamp: Timestamp? = nil,
        registeredAt: Timestamp? = nil,
        tokenAge: Double? = nil,
        retryAfter: Int? = nil
    ) -> APNsReaction {
        if status == 200 { return APNsReaction(deviceToken: .confirmed) }
        if let reaction = reason.flatMap({ ofReason($0, tokenAge: tokenAge, retryAfter: retryAfter ?? 0) }) {
            return reaction
        }
        return ofStatus(status, timestamp: timestamp, registeredAt: registeredAt, retryAfter: retryAfter)
    }

    /// `nil` for the reasons that their status says as well.
    private static func ofReason(_ reason: APNsReason, tokenAge: Double?, retryAfter: Int) -> APNsReaction? {
        switch reason {
        case .badCollapseID, .badExpirationDate, .badMessageID, .badPriority, .duplicateHeaders, .invalidPushType,
            .missingDeviceToken, .missingTopic, .payloadEmpty, .badPath, .methodNotAllowed, .missingProviderToken:
            APNsReaction(fault: .request)
        case .badTopic, .topicDisallowed: APNsReaction(fault: .topic)
        case .badDeviceToken, .deviceTokenNotForTopic: APNsReaction(deviceToken: .quarantine)
        case .idleTimeout, .shutdown: APNsReaction(retry: .onceElsewhere, connection: .retire)
        case .unrelatedKeyIDInToken: APNsReaction(retry: .onceElsewhere, connection: .retire, fault: .key)
        case .badCertificate, .badCertificateEnvironment, .badEnvironmentKeyIDInToken:
            APNsReaction(fault: .environment)
        case .invalidProviderToken, .forbidden: APNsReaction(fault: .key)
        case .expiredProviderToken: expired(tokenAge: tokenAge)
        case .tooManyProviderTokenUpdates:
            APNsReaction(
                retry: .after(seconds: max(tokenUpdateWait, retryAfter)),
                connection: .retire,
                fault: .tokenUpdates
            )
        case .payloadTooLarge: APNsReaction(retry: .onceSmaller, fault: .payload)
        case .unregistered, .expiredToken, .tooManyRequests, .internalServerError, .serviceUnavailable: nil
        }
    }

    private static func ofStatus(
        _ status: Int,
        timestamp: Timestamp?,
        registeredAt: Timestamp?,
        retryAfter: Int?
    ) -> APNsReaction {
        switch status {
        case 403: APNsReaction(fault: .key)
        case 410: APNsReaction(deviceToken: gone(since: timestamp, registeredAt: registeredAt))
        case 413: APNsReaction(retry: .onceSmaller, fault: .payload)
        case 429: APNsReaction(retry: .later(asked: retryAfter, from: throttledWait))
        case 400..<500: APNsReaction(fault: .request)
        case 500..<600: APNsReaction(retry: .later(asked: retryAfter, from: serverFailureWait))
        default: APNsReaction(fault: .unexpected)
        }
    }

    /// A connection keeps refusing after it has met an expired token, so it goes. A new one gets another token only
    /// when the present one may be replaced; otherwise a retry would meet the same answer.
    private static func expired(tokenAge: Double?) -> APNsReaction {
        let age = tokenAge ?? .infinity
        return APNsReaction(
            retry: age > ProviderTokenSchedule.youngAge ? .onceElsewhere : .never,
            connection: .retire,
            fault: age < 55 * 60 ? .clockSkew : nil
        )
    }

    /// Without both times nothing is proven, and a token that was registered again since is alive.
    private static func gone(since timestamp: Timestamp?, registeredAt: Timestamp?) -> DeviceToken {
        guard let timestamp, let registeredAt else { return .quarantine }
        return registeredAt < timestamp ? .drop : .keep
    }
}
