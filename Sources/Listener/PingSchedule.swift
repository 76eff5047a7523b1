/// When to ping which socket: a wheel of one-second slots, so a tick looks only at the sockets whose time has come.
/// Seconds are of any monotonic clock.
struct PingSchedule {
    enum Action: Equatable {
        case ping(LinkID)
        case giveUp(LinkID)
    }

    private let interval: Int
    private let patience: Int
    private var slots: [[LinkID]]
    private var lastTick: Int
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
        slots = Array(repeating: [], count: max(self.interval, self.patience) + 2)
        lastTick = now
    }

    mutating func add(_ link: LinkID, now: Int) {
        states[link] = State(heardAt: now, pingedAt: nil, due: now + interval)
        slots[(now + interval) % slots.count].append(link)
    }

    mutating func remove(_ link: LinkID) {
        states[link] = nil
    }

    /// Any byte of the peer.
    mutating func heard(_ link: LinkID, now: Int) {
        states[link]?.heardAt = now
    }

    /// What is due up to `now`. A clock that jumped ahead costs one turn of the wheel.
    mutating func tick(now: Int) -> [Action] {
        guard now > lastTick else { return [] }
        var actions: [Action] = []
        for second in max(lastTick + 1, now - slots.count + 1)...now {
            let slot = second % slots.count
            let links = slots[slot]
            slots[slot].removeAll(keepingCapacity: true)
            for link in links { visit(link, slot: slot, now: now, into: &actions) }
        }
        lastTick = now
        return actions
    }

    private mutating func visit(_ link: LinkID, slot: Int, now: Int, into actions: inout [Action]) {
        guard var state = states[link], state.due % slots.count == slot else { return }
        guard state.due <= now else {
            slots[slot].append(link)
            return
        }
        if let pingedAt = state.pingedAt, state.heardAt < pingedAt {
            states[link] = nil
            actions.append(.giveUp(link))
            return
        }
        if let pingedAt = state.pingedAt {
            // Alive: the next ping is one interval after the last.
            state.pingedAt = nil
            state.due = max(now + 1, pingedAt + interval)
        } else {
            actions.append(.ping(link))
            state.pingedAt = now
            state.due = now + patience
        }
        states[link] = state
        slots[state.due % slots.count].append(link)
    }
}
