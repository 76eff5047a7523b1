internal import EventModel
internal import Synchronization

/// What other threads hand to the push thread. Bounded by the bytes of all pushes that have not ended, wherever they
/// are: beyond the bound a push is not taken in.
final class PushInbox: Sendable {
    struct Submission: Sendable {
        let request: APNsRequest
        let completion: @Sendable (APNsOutcome) -> Void
        let bytes: Int
    }

    struct Delivery {
        var submissions: [Submission] = []
        var addresses: [SocketAddress]?
        var isStopping = false
    }

    private struct State {
        var delivery = Delivery()
        var bytes = 0
    }

    private let byteLimit: Int
    private let wakeUp: WakeUp
    private let state = Mutex(State())

    init(byteLimit: Int, wakeUp: WakeUp) {
        self.byteLimit = byteLimit
        self.wakeUp = wakeUp
    }

    /// `nil`: taken in.
    func offer(_ submission: Submission) -> UnsentCause? {
        let (refusal, isFirst) = state.withLock { state -> (UnsentCause?, Bool) in
            if state.delivery.isStopping { return (.stopped, false) }
            if state.bytes + submission.bytes > byteLimit { return (.queueFull, false) }
            state.bytes += submission.bytes
            state.delivery.submissions.append(submission)
            return (nil, state.delivery.submissions.count == 1)
        }
        // The thread was woken for the first of a burst and takes all.
        if isFirst { wakeUp.signal() }
        return refusal
    }

    func resolved(_ addresses: [SocketAddress]) {
        state.withLock { $0.delivery.addresses = addresses }
        wakeUp.signal()
    }

    func stop() {
        state.withLock { $0.delivery.isStopping = true }
        wakeUp.signal()
    }

    /// A push has ended.
    func release(bytes: Int) {
        state.withLock { $0.bytes -= bytes }
    }

    func take() -> Delivery {
        state.withLock { state in
            defer {
                state.delivery.submissions = []
                state.delivery.addresses = nil
            }
            return state.delivery
        }
    }

    var pendingBytes: Int { state.withLock { $0.bytes } }
}
