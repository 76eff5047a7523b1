package import EventModel
internal import Workers

/// A circuit breaker for each channel, such as a push service or a server that is called. It stops deliveries on a
/// channel that refuses everything, and retries with one at a time, because services count refusals against the sender.
///
/// `Recipient` identifies whom a delivery is for.
package struct Breakers<Recipient: Hashable & Sendable>: Sendable {
    package struct State: Sendable, Equatable {
        /// Nothing is delivered before this time.
        package var until: Timestamp?
        /// One test delivery is in progress.
        package var isTrying = false
        /// How long the channel is suspended after each failure.
        fileprivate var suspensions = Backoff(60...1800)
        fileprivate var cause: String?
        /// Recipients refused since the last accepted delivery.
        fileprivate var refused: Set<Recipient> = []

        package init() {}
    }

    /// Number of recipients that are refused in a row at which the error is the server's own.
    static var suspectRecipients: Int { 3 }
    /// Maximum number of channels kept.
    static var channelLimit: Int { 256 }
    /// Seconds until the one delivery that tests a channel counts as failed.
    static var trialSeconds: Double { 60 }

    package private(set) var channels: [String: State] = [:]
    /// How often a suspended channel was used again before its pause was over.
    package private(set) var openings = 0

    package init() {}

    /// The suspended channels, with the cause.
    package func open(at now: Timestamp) -> [(channel: String, until: Timestamp, cause: String)] {
        channels.compactMap { channel, state in
            guard let until = state.until, until > now else { return nil }
            return (channel, until, state.cause ?? "")
        }.sorted { $0.channel < $1.channel }
    }

    /// Returns `nil` if the delivery may leave. After a pause, the first one tests the channel and the others wait for
    /// it.
    package mutating func admit(_ channel: String, now: Timestamp) -> Timestamp? {
        guard let until = channels[channel]?.until else { return nil }
        if until > now { return until }
        channels[channel]?.until = now.adding(seconds: Breakers.trialSeconds)
        channels[channel]?.isTrying = true
        return nil
    }

    package mutating func accepted(_ channel: String) {
        if channels[channel]?.until != nil { openings += 1 }
        channels[channel] = nil
    }

    /// The test delivery was not submitted. Another one may test the channel.
    package mutating func notTried(_ channel: String, now: Timestamp) {
        guard channels[channel]?.isTrying == true else { return }
        channels[channel]?.until = now
        channels[channel]?.isTrying = false
        openings += 1
    }

    /// Records an error that affects every delivery of the channel. Returns when the next one may be tried.
    package mutating func failed(_ channel: String, cause: String, now: Timestamp) -> Timestamp {
        var state = channels[channel] ?? State()
        // Failures of deliveries that were in progress when the breaker opened add no information.
        if let until = state.until, until > now, !state.isTrying { return until }
        let until = now.adding(seconds: state.suspensions.next())
        state.until = until
        state.isTrying = false
        state.cause = cause
        keep(state, of: channel)
        return until
    }

    /// Records that a recipient was refused. Returns true if too many were: then the channel is at fault, and no
    /// recipient is marked as bad.
    package mutating func refused(_ recipient: Recipient, _ channel: String, cause: String, now: Timestamp) -> Bool {
        var state = channels[channel] ?? State()
        state.refused.insert(recipient)
        keep(state, of: channel)
        guard state.refused.count >= Breakers.suspectRecipients else { return false }
        _ = failed(channel, cause: cause, now: now)
        return true
    }

    /// Beyond the limit, the channel that has been suspended longest is evicted. It is then tried earlier than
    /// necessary.
    private mutating func keep(_ state: State, of channel: String) {
        if channels[channel] == nil, channels.count >= Breakers.channelLimit,
            let first = channels.min(by: { ($0.value.until?.microseconds ?? 0) < ($1.value.until?.microseconds ?? 0) })
        {
            channels[first.key] = nil
        }
        channels[channel] = state
    }
}
