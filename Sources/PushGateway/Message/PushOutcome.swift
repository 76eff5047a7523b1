/// How a push ended. Every submitted push ends in exactly one of these, once.
public enum PushOutcome: Sendable, Equatable {
    /// The service has accepted it. This does not mean that the device has displayed it.
    case accepted(PushAnswer)
    case rejected(PushAnswer, PushReaction)
    /// The service has certainly not processed the push. Submitting it again causes no duplicate.
    case unsent(UnsentCause)
    /// The push was sent, and no attempt was answered, including the one allowed retry. Submitting it again may display
    /// it twice, unless a collapse id or topic makes the second one replace the first.
    case unknown(LossCause)
}

/// Why a push never reached its service.
public enum UnsentCause: Sendable, Equatable {
    /// The limit on waiting bytes is reached. A later submission may succeed.
    case queueFull
    /// The deadline passed. `lastFailure`: why no connection could be made; safe to print.
    case expired(lastFailure: String?)
    /// The client was stopped.
    case stopped
    /// The service repeatedly refused its stream without processing it.
    case refused
    /// No token could be made: signing with the key failed.
    case noProviderToken
    /// The service is unusable until its owner or the operator changes something: it does not support HTTP/2, or its
    /// address is not allowed. Web Push only.
    case unusableService(String)
    /// The service's certificate is not trusted. The text is safe to print. The operator or the service must fix it.
    case untrusted(String)
    /// Its permission was denied when a stream could be opened.
    case denied
    /// It could not be found out whether it may be sent.
    case undecided
}

/// Why the result of a sent push is unknown.
public enum LossCause: Sendable, Equatable {
    case connectionLost
    case noAnswer
    /// The stream was reset with this HTTP/2 error code.
    case streamReset(code: UInt32)
    case deadline
}

/// Whether the same push may be retried after its answer.
public enum PushRetry: Sendable, Equatable {
    case never
    /// Retry once more at once, on another connection. An outcome with this value reports the second attempt.
    case onceElsewhere
    /// Retry only after the number of seconds that the service requests (`Retry-After`). The caller must wait: a client
    /// retries only what is safe to retry at once.
    case after(seconds: Int)
    /// Retry later. The first wait is this number of seconds; later waits grow.
    case backOff(from: Int)
    /// The same push would fail again. A smaller payload may succeed.
    case onceSmaller

    static func later(asked: Int?, from first: Int) -> PushRetry {
        asked.map { .after(seconds: $0) } ?? .backOff(from: first)
    }
}

/// The consequence of an answer for its connection.
public enum PushConnectionVerdict: Sendable, Equatable {
    case keep
    /// No more pushes on it. Pushes in progress may finish.
    case retire
}
