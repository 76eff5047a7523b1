/// How a push ended. Every push that is submitted ends in exactly one of these, once.
public enum APNsOutcome: Sendable, Equatable {
    /// Apple has taken it (not: the device has shown it).
    case accepted(APNsAnswer)
    case rejected(APNsAnswer, APNsReaction)
    /// Certainly not processed: submitting it again makes no duplicate.
    case unsent(UnsentCause)
    /// Sent, and no answer came, also not to the one repetition that is allowed. Submitting it again may show it
    /// twice, unless it has a collapse id.
    case unknown(LossCause)
}

/// Why a push never reached Apple.
public enum UnsentCause: Sendable, Equatable {
    /// The bound on waiting bytes is reached. Later it may have gone down.
    case queueFull
    /// The deadline passed first. `lastFailure`: what keeps connections from being made, safe to show.
    case expired(lastFailure: String?)
    /// The client was stopped.
    case stopped
    /// Apple's servers refused its stream again and again without looking at it.
    case refused
    /// No provider token could be made: the key does not sign.
    case noProviderToken
}

/// Why nothing is known about a push that was sent.
public enum LossCause: Sendable, Equatable {
    case connectionLost
    case noAnswer
    /// The stream was reset with this HTTP/2 error code.
    case streamReset(code: UInt32)
    case deadline
}
