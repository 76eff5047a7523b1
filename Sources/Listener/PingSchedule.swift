/// When to ping which socket. Seconds are of any monotonic clock.
struct PingSchedule {
    enum Action: Equatable {
        case ping(LinkID)
        case giveUp(LinkID)
    }

    private let interval: Int
    private let patience: Int
    private var wheel: TimingWheel<LinkID>
    private var states: [LinkID: State] = [:]

    private struct State {
        var heardAt: Int
        /// nil: no answer is awaited.
        var pingedAt: Int?
        var due: Int
    }

    init(interval: Int, patience: Int, now: Int) {
        self.interval = max(1, interval)
        self.patience = max(1, patience)
        wheel = TimingWheel(turn: max(self.interval, self.patience) + 2, now: now)
    }

    mutating func add(_ link: LinkID, now: Int) {
        states[link] = State(heardAt: now, pingedAt: nil, due: wheel.add(link, at: now + interval))
    }

    mutating func remove(_ link: LinkID) {
        states[link] = nil
    }

    /// Any byte of the peer.
    mutating func heard(_ link: LinkID, now: Int) {
        states[link]?.heardAt = now
    }

    /// What is due up to `now`.
    mutating func tick(now: Int) -> [Action] {
        wheel.tick(now: now).compactMap { link, second in visit(link, due: second, now: now) }
    }

    private mutating func visit(_ link: LinkID, due second: Int, now: Int) -> Action? {
        guard var state = states[link], state.due == second else { return nil }
        var action: Action?
        if let pingedAt = state.pingedAt {
            guard state.heardAt >= pingedAt else {
                states[link] = nil
                return .giveUp(link)
            }
            // Alive: the next ping is one interval after the last.
            state.pingedAt = nil
            state.due = wheel.add(link, at: pingedAt + interval)
        } else {
            action = .ping(link)
            state.pingedAt = now
            state.due = wheel.add(link, at: now + patience)
        }
        states[link] = state
        return action
    }
}
