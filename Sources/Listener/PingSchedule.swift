/// Decides when to ping each WebSocket. Seconds come from any monotonic clock.
struct PingSchedule {
    enum Action: Equatable {
        case ping(ChannelID)
        case giveUp(ChannelID)
    }

    private let interval: Int
    private let patience: Int
    private var wheel: TimingWheel<ChannelID>
    private var states: [ChannelID: State] = [:]

    private struct State {
        var heardAt: Int
        /// nil if no answer is expected.
        var pingedAt: Int?
        var due: Int
    }

    init(interval: Int, patience: Int, now: Int) {
        self.interval = max(1, interval)
        self.patience = max(1, patience)
        wheel = TimingWheel(turn: max(self.interval, self.patience) + 2, now: now)
    }

    mutating func add(_ channel: ChannelID, now: Int) {
        states[channel] = State(heardAt: now, pingedAt: nil, due: wheel.add(channel, at: now + interval))
    }

    mutating func remove(_ channel: ChannelID) {
        states[channel] = nil
    }

    /// The peer has sent something.
    mutating func heard(_ channel: ChannelID, now: Int) {
        states[channel]?.heardAt = now
    }

    /// Returns the actions that are due at `now`.
    mutating func tick(now: Int) -> [Action] {
        wheel.tick(now: now).compactMap { channel, second in visit(channel, due: second, now: now) }
    }

    private mutating func visit(_ channel: ChannelID, due second: Int, now: Int) -> Action? {
        guard var state = states[channel], state.due == second else { return nil }
        var action: Action?
        if let pingedAt = state.pingedAt {
            guard state.heardAt >= pingedAt else {
                states[channel] = nil
                return .giveUp(channel)
            }
            // The peer is alive. The next ping is one interval after the last.
            state.pingedAt = nil
            state.due = wheel.add(channel, at: pingedAt + interval)
        } else {
            action = .ping(channel)
            state.pingedAt = now
            state.due = wheel.add(channel, at: now + patience)
        }
        states[channel] = state
        return action
    }
}
