internal import EventModel
internal import Synchronization

/// Knows which connection of a waiting call is the newest. Only that connection gets the answer: a client may reconnect
/// before the server notices that the older connection is lost.
final class WaitTurns: Sendable {
    private let newest = Mutex<(count: UInt64, of: [EventID: UInt64])>((0, [:]))

    func take(_ call: EventID) -> Turn {
        newest.withLock { newest in
            newest.count += 1
            newest.of[call] = newest.count
            return Turn(self, call, newest.count)
        }
    }

    final class Turn: Sendable {
        private let turns: WaitTurns
        private let call: EventID
        private let number: UInt64

        fileprivate init(_ turns: WaitTurns, _ call: EventID, _ number: UInt64) {
            (self.turns, self.call, self.number) = (turns, call, number)
        }

        var isNewest: Bool { turns.newest.withLock { $0.of[call] == number } }

        deinit {
            turns.newest.withLock { if $0.of[call] == number { $0.of[call] = nil } }
        }
    }
}
