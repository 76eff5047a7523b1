internal import Persistence
internal import Synchronization

/// What became of deliveries, as this process has written it, for `monitor_pushes_total`. Any thread.
final class PushCounts: Sendable {
    private let totals = Mutex<PushTally>([:])

    var now: PushTally { totals.withLock { $0 } }

    func add(_ tally: PushTally) {
        guard !tally.isEmpty else { return }
        totals.withLock { $0.merge(tally, uniquingKeysWith: +) }
    }
}
