internal import EventModel

/// Stops pushing on a channel that turns everything away, and tries again with one push at a time: services count
/// refused pushes against the sender.
struct PushBreakers: Sendable {
    static let shortestPause = 60.0
    static let longestPause = 1800.0
    /// Tokens of so many devices refused in a row say that the fault is ours.
    static let suspectDevices = 3
    /// Channels remembered.
    static let channelLimit = 256
    /// How long the one push that tries a channel has.
    static let trialSeconds = 60.0

    struct State: Sendable, Equatable {
        /// Nothing leaves before.
        var until: Timestamp?
        /// One push was let through and has not ended.
        var isTrying = false
        var pause = PushBreakers.shortestPause
        var cause: String?
        /// Since the last push that was taken.
        var refusedDevices: Set<DeviceID> = []
    }

    private(set) var channels: [String: State] = [:]
    /// How often what waits for a suspended channel got reason to ask again before its pause is over.
    private(set) var openings = 0

    /// Those that let nothing through, with the cause.
    func open(at now: Timestamp) -> [(channel: String, until: Timestamp, cause: String)] {
        channels.compactMap { channel, state in
            guard let until = state.until, until > now else { return nil }
            return (channel, until, state.cause ?? "")
        }.sorted { $0.channel < $1.channel }
    }

    /// `nil`: it may leave. After a pause the first that asks tries the channel, and the others wait for it.
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

    /// The push that was to try the channel was not handed over after all: another may.
    mutating func notTried(_ channel: String, now: Timestamp) {
        guard channels[channel]?.isTrying == true else { return }
        channels[channel]?.until = now
        channels[channel]?.isTrying = false
        openings += 1
    }

    /// Every push of the channel would fare the same. Returns when the next may try.
    mutating func failed(_ channel: String, cause: String, now: Timestamp) -> Timestamp {
        var state = channels[channel] ?? State()
        // Those that were under way when it opened say nothing new.
        if let until = state.until, until > now, !state.isTrying { return until }
        let until = now.adding(seconds: state.pause)
        state.pause = min(state.pause * 2, PushBreakers.longestPause)
        state.until = until
        state.isTrying = false
        state.cause = cause
        keep(state, of: channel)
        return until
    }

    /// A device's token was called bad. True: those of too many were, so it is the channel that is wrong, and no token
    /// is to be judged.
    mutating func refusedToken(of device: DeviceID, _ channel: String, cause: String, now: Timestamp) -> Bool {
        var state = channels[channel] ?? State()
        state.refusedDevices.insert(device)
        keep(state, of: channel)
        guard state.refusedDevices.count >= PushBreakers.suspectDevices else { return false }
        _ = failed(channel, cause: cause, now: now)
        return true
    }

    /// Beyond the limit what is open longest is forgotten: it is tried again sooner than need be.
    private mutating func keep(_ state: State, of channel: String) {
        if channels[channel] == nil, channels.count >= PushBreakers.channelLimit,
            let first = channels.min(by: { ($0.value.until?.microseconds ?? 0) < ($1.value.until?.microseconds ?? 0) })
        {
            channels[first.key] = nil
        }
        channels[channel] = state
    }
}
