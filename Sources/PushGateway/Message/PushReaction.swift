/// The consequences of an answer, in four independent respects.
public struct PushReaction: Sendable, Equatable {
    /// The device token, or a browser's subscription.
    public enum Token: Sendable, Equatable {
        /// This answer proves that the address is valid.
        case confirmed
        case keep
        /// Do not use it until a person has checked, or the browser has subscribed again: Apple also sends this code
        /// for every token of the wrong environment, and a subscription may belong to another key.
        case quarantine
        /// The address is no longer valid, and has not been registered again since.
        case drop
    }

    /// A problem that a person or the code must fix, named for breakers and alarms.
    public enum Fault: Sendable, Equatable {
        /// The request was malformed although it was validated.
        case request
        case payload
        /// The key may not push to this topic: stop pushing for this key and topic.
        case topic
        /// The service rejects the key's tokens: stop pushing with this key.
        case key
        /// The key or the device token belongs to Apple's other environment: stop pushing to this one.
        case environment
        /// The service called a provider token expired although it is still valid on this machine's clock.
        case clockSkew
        case tokenUpdates
        /// A response that the protocol does not define.
        case unexpected

        /// Whether every push with the same key, topic and environment would fail.
        public var stopsChannel: Bool {
            switch self {
            case .topic, .key, .environment, .clockSkew, .tokenUpdates: true
            case .request, .payload, .unexpected: false
            }
        }
    }

    public var retry = PushRetry.never
    public var token = Token.keep
    public var connection = PushConnectionVerdict.keep
    public var fault: Fault?

    public init(
        retry: PushRetry = .never,
        token: Token = .keep,
        connection: PushConnectionVerdict = .keep,
        fault: Fault? = nil
    ) {
        self.retry = retry
        self.token = token
        self.connection = connection
        self.fault = fault
    }

    /// Seconds before the first retry after a failure of the service, if the service names no time. Apple's
    /// documentation suggests 15 minutes, but a prompt for permission would expire in that time.
    static let serverFailureWait = 5
    /// Seconds before the first retry after too many requests, if the service names no time.
    static let throttledWait = 60
}
