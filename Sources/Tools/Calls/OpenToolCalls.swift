internal import Synchronization
internal import Workers

/// The calls for which this server cares, and the requests that wait for their ends. May be used on any thread.
final class OpenToolCalls: Sendable {
    /// Calls at a time: on this server, of one caller, and in one place: a machine, whose agent takes no more, or a
    /// remote server. In a place, a caller has at most as many as are still free, so that nobody can take all.
    static let (most, mostOfOne, mostInPlace) = (256, 8, 8)

    private struct Waiter {
        let continuation: CheckedContinuation<ToolCallOutcome?, Never>
        let isOnlyUntilAsked: Bool
    }

    private struct Entry {
        let call: ToolCallPorts.Call
        let caller: String
        var isRunning = false
        /// A person is being asked, or the agent of the machine, which may ask one.
        var isAsked = false
        var waiters: [Int: Waiter] = [:]
    }

    private struct State {
        var entries: [String: Entry] = [:]
        /// Contains only places with calls.
        var shares: [String: FairShare<String>] = [:]
        var lastWaiter = 0
        var counts: [ToolCall.State: Int64] = [:]

        mutating func remove(_ id: String) -> Entry? {
            guard let entry = entries.removeValue(forKey: id) else { return nil }
            let place = entry.call.place
            shares[place]?.giveBack(0, to: entry.caller)
            if shares[place]?.senders == 0 { shares[place] = nil }
            return entry
        }
    }

    private let state = Mutex(State())

    /// Returns false if there are too many calls.
    func add(_ call: ToolCallPorts.Call, of caller: String) -> Bool {
        let place = call.place
        return state.withLock { state in
            let own = state.entries.values.count { $0.caller == caller }
            var share = state.shares[place] ?? FairShare(bytes: .max, pieces: OpenToolCalls.mostInPlace)
            guard state.entries.count < OpenToolCalls.most, own < OpenToolCalls.mostOfOne, share.take(0, from: caller)
            else { return false }
            state.shares[place] = share
            state.entries[call.id] = Entry(call: call, caller: caller)
            return true
        }
    }

    /// Forgets a call that has not begun.
    func remove(_ id: String) { state.withLock { _ = $0.remove(id) } }

    /// The tool of the call runs from now on.
    func start(_ id: String) { state.withLock { $0.entries[id]?.isRunning = true } }
    /// From now on somebody is asked about the call.
    func ask(_ id: String) {
        let released = state.withLock { state in
            state.entries[id]?.isAsked = true
            let released = state.entries[id]?.waiters.filter(\.value.isOnlyUntilAsked) ?? [:]
            for number in released.keys { state.entries[id]?.waiters[number] = nil }
            return released.values
        }
        for waiter in released { waiter.continuation.resume(returning: nil) }
    }

    func isRunning(_ id: String) -> Bool { state.withLock { $0.entries[id]?.isRunning ?? false } }

    func call(_ id: String) -> ToolCallPorts.Call? { state.withLock { $0.entries[id]?.call } }

    var ids: [String] { state.withLock { Array($0.entries.keys) } }
    var counts: [ToolCall.State: Int64] { state.withLock(\.counts) }

    /// Ends a call. Returns whether a request has waited for it; `nil` if it has ended before.
    func finish(_ id: String, _ outcome: ToolCallOutcome) -> Bool? {
        let entry = state.withLock { state in
            let entry = state.remove(id)
            if entry != nil { state.counts[outcome.state, default: 0] += 1 }
            return entry
        }
        entry?.waiters.values.forEach { $0.continuation.resume(returning: outcome) }
        return entry.map { !$0.waiters.isEmpty }
    }

    /// Returns `nil` if the call has not ended after this time, or if the task is cancelled.
    ///
    /// - Parameters:
    ///   - isOnlyUntilAsked: also returns `nil` when somebody is asked about the call.
    ///   - begin: called once, when the end of the call cannot be missed any more.
    func outcome(
        of id: String,
        seconds: Double,
        isOnlyUntilAsked: Bool = false,
        begin: @escaping @Sendable () -> Void
    ) async -> ToolCallOutcome? {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        let alarm = Task {
            try? await Task.sleep(for: .seconds(seconds))
            release(number, of: id)
        }
        defer { alarm.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isWaiting = state.withLock { state in
                    guard !Task.isCancelled, seconds > 0, let entry = state.entries[id],
                        !(isOnlyUntilAsked && entry.isAsked)
                    else { return false }
                    let waiter = Waiter(continuation: continuation, isOnlyUntilAsked: isOnlyUntilAsked)
                    state.entries[id]?.waiters[number] = waiter
                    return true
                }
                begin()
                if !isWaiting { continuation.resume(returning: nil) }
            }
        } onCancel: {
            release(number, of: id)
        }
    }

    private func release(_ number: Int, of id: String) {
        state.withLock { $0.entries[id]?.waiters.removeValue(forKey: number) }?.continuation.resume(returning: nil)
    }
}
