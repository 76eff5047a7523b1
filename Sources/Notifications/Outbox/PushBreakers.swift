internal import EventModel
internal import Workers

/// A circuit breaker for each channel. It stops pushes on a channel that refuses everything and retries with one push
/// at a time, because push services count refused pushes against the sender.
struct PushBreakers: Sendable {
    /// If the tokens of this many devices are refused in a row, the error is the server's own.
    static let suspectDevices = 3
    /// Maximum number of channels kept.
    static let channelLimit = 256
    /// Seconds until the one push that tests a channel counts as failed.
    static let trialSeconds = 60.0

    struct State: Sendable, Equatable {
        /// No push leaves before this time.
        var until: Timestamp?
        /// One test push is in progress.
        var isTrying = false
        /// How long the channel is suspended after each failure.
        var suspensions = Backoff(60...1800)
        var cause: String?
        /// Devices refused since the last accepted push.
        var refusedDevices: Set<DeviceID> = []
    }

    private(set) var channels: [String: State] = [:]
    /// Number of times that deliveries of a suspended channel were released before the end of its pause.
    private(set) var openings = 0

    /// The suspended channels, with the cause.
    func open(at now: Timestamp) -> [(channel: String, until: Timestamp, cause: String)] {
        channels.compactMap { channel, state in
            guard let until = state.until, until > now else { return nil }
            return (channel, until, state.cause ?? "")
        }.sorted { $0.channel < $1.channel }
    }

    /// Returns `nil` if the push may leave. After a pause, the first push tests the channel and the others wait for
    /// it.
    mutating func admit(_ channel: String, now: Timestamp) -> Timestamp? {
        guard let until = channels[channel]?.until else { return nil }
        if until > now { return until }
        channels[channel]?.until = now.adding(seconds: PushBreakers.trialSeconds)
        channels[channel]?.isTrying = true
        return nil
    }

    mutating func accepted(_ channel: String) {
        if channels[channel]?.until != nil { openings += 1 }
        channels[channel] = nil
    }

    /// The test push was not submitted. Another push may test the channel.
    mutating func notTried(_ channel: String, now: Timestamp) {
        guard channels[channel]?.isTrying == true else { return }
        channels[channel]?.until = now
        channels[channel]?.isTrying = false
        openings += 1
    }

    /// Records an error that affects every push of the channel. Returns when the next push may be tried.
    mutating func failed(_ channel: String, cause: String, now: Timestamp) -> Timestamp {
        var state = channels[channel] ?? State()
        // Failures of pushes that were in progress when the breaker opened add no information.
        if let until = state.until, until > now, !state.isTrying { return until }
        let until = now.adding(seconds: state.suspensions.next())
        state.until = until
        state.isTrying = false
        state.cause = cause
        keep(state, of: channel)
        return until
    }

    /// Records that a device's token was refused. Returns true if too many devices were refused: then the channel is
    /// at fault, and no token is marked as bad.
    mutating func refusedToken(of device: DeviceID, _ channel: String, cause: String, now: Timestamp) -> Bool {
        var state = channels[channel] ?? State()
        state.refusedDevices.insert(device)
        keep(state, of: channel)
        guard state.refusedDevices.count >= PushBreakers.suspectDevices else { return false }
        _ = failed(channel, cause: cause, now: now)
        return true
    }

    /// Beyond the limit, the channel that has been suspended longest is evicted. It is then tried earlier than
    /// necessary.
    private mutating func keep(_ state: State, of channel: String) {
        if channels[channel] == nil, channels.count >= PushBreakers.channelLimit,
            let first = channels.min(by: { ($0.value.until?.microseconds ?? 0) < ($1.value.until?.microseconds ?? 0) })
        {
            channels[first.key] = nil
        }
        channels[channel] = state
    }
}
