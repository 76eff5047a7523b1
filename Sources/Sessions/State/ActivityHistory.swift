internal import EventModel

/// What the main agent did: its latest state, who told of it, and since when it holds.
///
/// Events may arrive in any order. So earlier moments are kept: one of them may turn out to begin the state.
struct ActivityHistory: Sendable, Equatable {
    struct Latest: Sendable, Equatable {
        var state: Session.State
        var source: Session.StateSource
    }

    struct Moment: Sendable, Equatable {
        var time: Timestamp
        var state: Session.State
    }

    /// Moments that are kept. Beyond it the earliest one between two of the same state goes, or else the earliest.
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

    /// Leaves out what `storedMoments` does not make.
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
