/// What an answer asks for, in four independent respects.
public struct PushReaction: Sendable, Equatable {
    /// The device token, or a browser's subscription.
    public enum Token: Sendable, Equatable {
        /// Proven good just now.
        case confirmed
        case keep
        /// Do not use it until somebody has looked, or the browser has subscribed again: Apple's code also comes for
        /// every token of a wrong environment, and a subscription may have been made for another key than ours.
        case quarantine
        /// It is gone, and was not registered again since.
        case drop
    }

    /// Something a person or the code must put right, named for breakers and alarms.
    public enum Fault: Sendable, Equatable {
        /// The request was malformed although it was checked.
        case request
        case payload
        /// The key may not push to this topic: stop pushing for (key, topic).
        case topic
        /// The service does not take the key's tokens: stop pushing with this key.
        case key
        /// Key or device token belong to the other environment of Apple's: stop pushing to this one.
        case environment
        /// A provider token was called expired that is not, by this machine's clock.
        case clockSkew
        case tokenUpdates
        /// An answer that the protocol does not have.
        case unexpected

        /// Whether no push of the same key, topic and environment would go through.
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

    /// Seconds before the first other try where the service names none, after a failure of its own. Apple's manual
    /// speaks of 15 minutes, by which a prompt for permission is over.
    static let serverFailureWait = 5
    /// The same after too many requests.
    static let throttledWait = 60
}
