import Synchronization

/// How far this server's projector has written, and the reads that wait for it. Safe from any thread.
final class ProjectionProgress: Sendable {
    private struct State {
        var written: Int64 = 0
        var waiting: [UInt64: (seq: Int64, continuation: CheckedContinuation<Void, Never>)] = [:]
        var last: UInt64 = 0
    }

    private let state = Mutex(State())

    /// `nil` if the projector lost the lease and does not know; the waiting reads then check the database themselves.
    func reached(_ seq: Int64?) {
        let ready = state.withLock { state in
            state.written = seq ?? 0
            let ready = state.waiting.filter { seq == nil || $0.value.seq <= state.written }
            for key in ready.keys { state.waiting[key] = nil }
            return ready.values.map(\.continuation)
        }
        for continuation in ready { continuation.resume() }
    }

    /// Returns when the position is reached, when the caller should check the database, or after the timeout in
    /// seconds.
    func wait(for seq: Int64, atMost seconds: Double) async {
        let key = state.withLock { state in
            state.last += 1
            return state.last
        }
        let alarm = Task { [self] in
            try? await Task.sleep(for: .seconds(seconds))
            end(key)
        }
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                guard state.written < seq else { return true }
                state.waiting[key] = (seq, continuation)
                return false
            }
            if isReached { continuation.resume() }
        }
        alarm.cancel()
    }

    private func end(_ key: UInt64) {
        state.withLock { $0.waiting.removeValue(forKey: key) }?.continuation.resume()
    }
}
