import Synchronization
import Workers

/// How far this server's projector has written, and the reads that wait for it. Safe from any thread.
final class ProjectionProgress: Sendable {
    private struct State {
        var isLeading = false
        var written: Int64 = 0
        var waiting: [UInt64: (seq: Int64, signal: AsyncSignal)] = [:]
        var last: UInt64 = 0
    }

    private let state = Mutex(State())

    var isLeading: Bool { state.withLock(\.isLeading) }

    /// The projector holds the lease. Call before it reads the end of the log, so that it gets all events after that.
    func begins() {
        state.withLock { $0.isLeading = true }
    }

    /// `nil` if the projector lost the lease and does not know; the waiting reads then check the database themselves.
    func reached(_ seq: Int64?) {
        let ready = state.withLock { state in
            state.isLeading = seq != nil
            state.written = seq ?? 0
            return state.waiting.values.filter { seq == nil || $0.seq <= state.written }
        }
        for read in ready { read.signal.notify() }
    }

    /// Returns when the position is reached, when the caller should check the database, or after the timeout in
    /// seconds.
    func wait(for seq: Int64, atMost seconds: Double) async {
        let signal = AsyncSignal()
        let key: UInt64? = state.withLock { state in
            guard state.written < seq else { return nil }
            state.last += 1
            state.waiting[state.last] = (seq, signal)
            return state.last
        }
        guard let key else { return }
        await signal.wait(atMost: seconds)
        state.withLock { $0.waiting[key] = nil }
    }
}
