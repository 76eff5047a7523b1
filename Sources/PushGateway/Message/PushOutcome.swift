/// How a push ended. Every push that is submitted ends in exactly one of these, once.
public enum PushOutcome: Sendable, Equatable {
    /// The service has taken it (not: the device has shown it).
    case accepted(PushAnswer)
    case rejected(PushAnswer, PushReaction)
    /// Certainly not processed: submitting it again makes no duplicate.
    case unsent(UnsentCause)
    /// Sent, and no answer came, also not to the one repetition that is allowed. Submitting it again may show it
    /// twice, unless a collapse id or topic makes the second replace the first.
    case unknown(LossCause)
}

/// Why a push never reached its service.
public enum UnsentCause: Sendable, Equatable {
    /// The bound on waiting bytes is reached. Later it may have gone down.
    case queueFull
    /// The deadline passed first. `lastFailure`: what keeps connections from being made, safe to show.
    case expired(lastFailure: String?)
    /// The client was stopped.
    case stopped
    /// The service refused its stream again and again without looking at it.
    case refused
    /// No token could be made: the key does not sign.
    case noProviderToken
    /// The service cannot be used as it is, and only its owner or the operator can change that: it does not speak
    /// HTTP/2, or its address is one that is not connected to. Web Push only.
    case unusableService(String)
    /// The service's certificate is not trusted, in words that are safe to show. The operator or the service has to
    /// mend it.
    case untrusted(String)
}

/// Why nothing is known about a push that was sent.
public enum LossCause: Sendable, Equatable {
    case connectionLost
    case noAnswer
    /// The stream was reset with this HTTP/2 error code.
    case streamReset(code: UInt32)
    case deadline
}

/// Whether the same push may be tried again after its answer.
public enum PushRetry: Sendable, Equatable {
    case never
    /// One more time at once, on another connection. An outcome that shows it tells of the second time.
    case onceElsewhere
    /// Not before the seconds that the service asks for (`Retry-After`). Waits are the caller's: a client retries only
    /// what is safe at once.
    case after(seconds: Int)
    /// Later, and the service does not say when: first after so many seconds, longer each time.
    case backOff(from: Int)
    /// The same push would fail again; a smaller payload may not.
    case onceSmaller

    static func later(asked: Int?, from first: Int) -> PushRetry {
        asked.map { .after(seconds: $0) } ?? .backOff(from: first)
    }
}

/// What an answer means for the connection it came on.
public enum PushConnectionVerdict: Sendable, Equatable {
    case keep
    /// No further push on it; those under way may finish.
    case retire
}
