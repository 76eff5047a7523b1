package import EventModel
internal import Synchronization

/// The changes that devices are making on this server. A revocation waits for those of its device, so that nothing of a
/// revoked device takes effect after the revocation was answered.
package final class DeviceChanges: Sendable {
    private struct Change: Hashable, Sendable {
        let device: DeviceID
        let number: UInt64
    }

    private struct Waiter: Sendable {
        var changes: Set<Change>
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var last: UInt64 = 0
        /// Bounded by the requests and calls in progress.
        var running: Set<Change> = []
        /// Bounded by the revocations in progress.
        var waiters: [UInt64: Waiter] = [:]
    }

    /// The change that this task makes. A device that revokes itself does not wait for that.
    @TaskLocal private static var current: Change?

    private let state = Mutex(State())

    package init() {}

    /// Makes a change. Check the device's rights in `body`: rights that are read before may be withdrawn meanwhile, and
    /// the revocation would not know of the change.
    package func run<Answer: Sendable, Failure: Error>(
        by device: DeviceID,
        _ body: @Sendable () async throws(Failure) -> Answer
    ) async throws(Failure) -> Answer {
        let change = state.withLock { state in
            state.last += 1
            let change = Change(device: device, number: state.last)
            state.running.insert(change)
            return change
        }
        let result = await DeviceChanges.$current.withValue(change) {
            await Result { () async throws(Failure) in try await body() }
        }
        ended(change)
        return try result.get()
    }

    /// Returns when the changes that the device is making now have ended, or the time is over.
    package func settle(_ device: DeviceID, atMost seconds: Double) async {
        let own = DeviceChanges.current
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        await withCheckedContinuation { continuation in
            let isSettled = state.withLock { state in
                let changes = state.running.filter { $0.device == device && $0 != own }
                if !changes.isEmpty { state.waiters[number] = Waiter(changes: changes, continuation: continuation) }
                return changes.isEmpty
            }
            guard !isSettled else { return continuation.resume() }
            Task { [weak self] in
                try? await Task.sleep(for: .seconds(seconds))
                self?.giveUp(number)
            }
        }
    }

    /// The number of revocations that wait.
    var waiting: Int { state.withLock { $0.waiters.count } }

    private func ended(_ change: Change) {
        let settled = state.withLock { state in
            state.running.remove(change)
            var settled: [CheckedContinuation<Void, Never>] = []
            for number in Array(state.waiters.keys) {
                state.waiters[number]?.changes.remove(change)
                guard state.waiters[number]?.changes.isEmpty == true else { continue }
                if let waiter = state.waiters.removeValue(forKey: number) { settled.append(waiter.continuation) }
            }
            return settled
        }
        for continuation in settled { continuation.resume() }
    }

    private func giveUp(_ number: UInt64) {
        state.withLock { $0.waiters.removeValue(forKey: number) }?.continuation.resume()
    }
}

extension Result where Success: Sendable {
    fileprivate init(catching body: () async throws(Failure) -> Success) async {
        do throws(Failure) {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
