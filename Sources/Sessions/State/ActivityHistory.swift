internal import EventModel

/// The activity of the main agent: its latest state, the source that reported it, and the time since which it holds.
///
/// Events may arrive in any order, so earlier moments are kept. One of them may turn out to be the start of the state.
struct ActivityHistory: Sendable, Equatable {
    struct Latest: Sendable, Equatable {
        var state: Session.State
        var source: Session.StateSource
    }

    struct Moment: Sendable, Equatable {
        var time: Timestamp
        var state: Session.State
    }

    /// The maximum number of moments kept. Beyond it, the earliest moment between two of the same state is dropped, or
    /// else the earliest one.
    static let maximumMoments = 24

    private(set) var latest: Register<Latest>?
    /// Sorted by time.
    private(set) var moments: [Moment] = []

    init() {}

    init(latest: Register<Latest>?, moments: [Moment]) {
        self.latest = latest
        self.moments = moments
    }

    mutating func set(_ state: Session.State, from source: Session.StateSource, at order: EventOrder) {
        latest.set(Latest(state: state, source: source), at: order)
        let place =
            moments.firstIndex { ($0.time, $0.state.rawValue) > (order.time, state.rawValue) } ?? moments.endIndex
        moments.insert(Moment(time: order.time, state: state), at: place)
        guard moments.count > ActivityHistory.maximumMoments else { return }
        let between = moments.indices.dropFirst().dropLast().first { place in
            moments[place - 1].state == moments[place].state && moments[place].state == moments[place + 1].state
        }
        moments.remove(at: between ?? 0)
    }

    /// When the latest state began.
    var since: Timestamp? {
        guard let latest else { return nil }
        // A different state at the same moment came before the latest one.
        let before = moments.last { $0.state != latest.value.state && $0.time < latest.order.time }
        let run = moments.first { moment in
            moment.state == latest.value.state && before.map { $0.time < moment.time } ?? true
        }
        return run?.time ?? latest.order.time
    }
}

/// The stored text: for each moment a letter and the microseconds since the previous one, in base 36.
extension ActivityHistory {
    private static let letters: [(Session.State, Character)] = [
        (.running, "R"), (.waiting, "W"), (.idle, "I"), (.error, "E"), (.unknown, "U"),
    ]

    var storedMoments: String {
        var text = ""
        var before: Int64 = 0
        for moment in moments {
            guard let letter = ActivityHistory.letters.first(where: { $0.0 == moment.state })?.1 else { continue }
            text.append(letter)
            text += String(moment.time.microseconds &- before, radix: 36)
            before = moment.time.microseconds
        }
        return text
    }

    /// Ignores parts that `storedMoments` does not write.
    static func moments(stored text: String) -> [Moment] {
        var moments: [Moment] = []
        var time: Int64 = 0
        var rest = text[...]
        while let letter = rest.popFirst() {
            let digits = rest.prefix { !$0.isUppercase }
            rest = rest.dropFirst(digits.count)
            guard let state = letters.first(where: { $0.1 == letter })?.0, let step = Int64(digits, radix: 36) else {
                return moments
            }
            time &+= step
            moments.append(Moment(time: Timestamp(microseconds: time), state: state))
        }
        return moments
    }
}
