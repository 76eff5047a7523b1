package import EventModel
package import Listener
internal import Synchronization
internal import WSFanout

/// The network loop, for parts that are created before it, and the work that other threads have for its handler. Safe
/// from any thread.
package final class RunningLoop: Sendable {
    typealias Work = @Sendable (LoopHandler, isolated NetworkLoop) -> Void

    private struct State {
        var loop: NetworkLoop?
        /// Bounded by the callers, as the loop's own inbox is.
        var work: [Work] = []
    }

    private let state = Mutex(State())

    package init() {}

    package func set(_ loop: NetworkLoop) {
        state.withLock { $0.loop = loop }
    }

    /// Runs `work` on the loop, after everything that was posted here before. Before the loop starts, the work waits.
    func post(_ work: @escaping Work) {
        let loop = state.withLock { state in
            state.work.append(work)
            return state.loop
        }
        loop?.notifyHandler()
    }

    /// The handler's part.
    func takeWork() -> [Work] {
        state.withLock { state in
            defer { state.work = [] }
            return state.work
        }
    }

    /// Call when events in memory may have been erased.
    func forgetErased() {
        post { handler, _ in handler.erased() }
    }

    /// Closes the channels of those who have lost their rights.
    package func sweepChannels(by clock: @escaping @Sendable () -> Timestamp) {
        post { handler, loop in handler.sweepChannels(now: clock(), on: loop) }
    }
}
