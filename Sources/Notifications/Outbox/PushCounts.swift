internal import Synchronization

/// The outcomes of deliveries that this process has written, for `monitor_pushes_total`. Safe from any thread.
package final class PushCounts: Sendable {
    private let totals = Mutex<PushTally>([:])

    package init() {}

    var now: PushTally { totals.withLock { $0 } }

    package func add(_ tally: PushTally) {
        guard !tally.isEmpty else { return }
        totals.withLock { $0.merge(tally, uniquingKeysWith: +) }
    }
}
