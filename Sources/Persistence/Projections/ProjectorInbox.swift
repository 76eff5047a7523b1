import EventModel
import Synchronization
import Workers

/// Messages of other threads to a projector. Bounded: excess batches are dropped, because the projector can read them
/// from the log.
final class ProjectorInbox: Sendable {
    /// The messages that have arrived since the last call.
    struct News {
        /// The events have no gaps, unless batches were dropped.
        var batches: [CommittedBatch] = []
        /// The position of the last event.
        var committed: Int64?
        /// The highest position that a read of this server waits for.
        var awaited: Int64?
        /// A read of another server is waiting.
        var isAwaitedElsewhere = false
        var isToYield = false
        fileprivate var events = 0
        fileprivate var bytes = 0

        var isEmpty: Bool {
            committed == nil && awaited == nil && !isAwaitedElsewhere && !isToYield
        }
    }

    static let mostEvents = 10_000
    static let mostBytes = 16 << 20
    /// Number of events at which a projector that waits for its next write is woken to fold them.
    static let foldEvents = 2000

    private struct State {
        var news = News()
        /// Number of events at which commits wake the projector.
        var wakeEvents = 1
    }

    let keepsBatches: Bool
    private let state = Mutex(State())
    /// Holds at most one element; each element is a wake-up.
    private let wakeUps = Mailbox<Void>(byteLimit: 1)

    /// - Parameter keepsBatches: whether to keep the events, not only their positions.
    init(keepsBatches: Bool) {
        self.keepsBatches = keepsBatches
    }

    var isClosed: Bool { wakeUps.isClosed }

    /// Any thread; never blocks. Batches must arrive in order.
    func committed(_ batch: CommittedBatch) {
        guard let last = batch.events.last else { return }
        let wakes = state.withLock { state in
            state.news.committed = last.seq
            state.news.events += batch.events.count
            if keepsBatches { state.news.keep(batch) }
            return state.news.events >= state.wakeEvents
        }
        if wakes { wake() }
    }

    /// The events up to this position must be read from the log.
    func logReaches(_ seq: Int64) {
        state.withLock { state in
            state.news.committed = max(state.news.committed ?? 0, seq)
            state.news.events += 1
        }
        wake()
    }

    func awaits(_ seq: Int64) {
        state.withLock { $0.news.awaited = max($0.news.awaited ?? 0, seq) }
        wake()
    }

    func noticed(_ notice: LogNotice) {
        state.withLock { state in
            switch notice {
            case .awaited: state.news.isAwaitedElsewhere = true
            case .yield: state.news.isToYield = true
            case .present, .reached, .changed, .erased: break
            }
        }
        wake()
    }

    /// Messages received before the close can still be taken.
    func close() { wakeUps.close() }

    func take() -> News {
        state.withLock { state in
            defer { state.news = News() }
            return state.news
        }
    }

    /// Returns when a message has arrived, when the inbox is closed, or after the timeout.
    ///
    /// - Parameter isGathering: single commits do not wake the projector.
    func wait(milliseconds: Int, isGathering: Bool) {
        let isReady = state.withLock { state in
            state.wakeEvents = isGathering ? ProjectorInbox.foldEvents : 1
            let onlyCommits =
                state.news.awaited == nil && !state.news.isAwaitedElsewhere && !state.news.isToYield
            return onlyCommits ? state.news.events >= state.wakeEvents : !state.news.isEmpty
        }
        if !isReady { _ = wakeUps.takeAll(timeoutMilliseconds: milliseconds) }
    }

    private func wake() { _ = wakeUps.offer((), bytes: 1) }
}

extension ProjectorInbox.News {
    fileprivate mutating func keep(_ batch: CommittedBatch) {
        let size = batch.events.reduce(0) { $0 + $1.event.payload.count }
        if events > ProjectorInbox.mostEvents || bytes + size > ProjectorInbox.mostBytes {
            (batches, bytes) = ([], 0)
        } else {
            batches.append(batch)
            bytes += size
        }
    }
}
