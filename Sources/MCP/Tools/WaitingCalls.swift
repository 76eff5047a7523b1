internal import EventModel
internal import HTTPModel
internal import Synchronization
internal import Workers

/// The calls that wait, each with a place. One caller may have as many as are still free, so that nobody can take all.
final class WaitingCalls: Sendable {
    static let maximum = 256

    private let places = Mutex(FairShare<String>(bytes: .max, pieces: WaitingCalls.maximum))

    /// - Parameters:
    ///   - caller: its name in the audit log.
    ///   - onEnd: called when the place is free again.
    func take(for caller: String, onEnd: @escaping @Sendable () -> Void = {}) throws(APIError) -> Place {
        guard places.withLock({ $0.take(0, from: caller) }) else {
            throw APIError(
                .rateLimit,
                status: 429,
                code: "too_many_waits",
                message: "Too many calls of this credential wait. Let some of them end.",
                retryAfter: 5
            )
        }
        return Place(self, caller, onEnd)
    }

    fileprivate func giveBack(_ caller: String) { places.withLock { $0.giveBack(0, to: caller) } }

    /// Is free again when nobody holds it any more, so that a call which never begins keeps none.
    final class Place: Sendable {
        private let calls: WaitingCalls
        private let caller: String
        private let onEnd: @Sendable () -> Void

        fileprivate init(_ calls: WaitingCalls, _ caller: String, _ onEnd: @escaping @Sendable () -> Void) {
            (self.calls, self.caller, self.onEnd) = (calls, caller, onEnd)
        }

        deinit {
            calls.giveBack(caller)
            onEnd()
        }
    }
}
