package import Persistence
internal import Synchronization

/// What became of deliveries, as this process has written it, for `monitor_pushes_total`. Any thread.
package final class PushCounts: Sendable {
    private let totals = Mutex<PushTally>([:])

    package init() {}

    var now: PushTally { totals.withLock { $0 } }

    package func add(_ tally: PushTally) {
        guard !tally.isEmpty else { return }
        totals.withLock { $0.merge(tally, uniquingKeysWith: +) }
    }
}
