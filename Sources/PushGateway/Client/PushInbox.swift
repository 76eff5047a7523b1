internal import EventModel
internal import Synchronization

/// A push as it is handed in.
struct PushSubmission<Service: PushService>: Sendable {
    let request: Service.Request
    let traits: PushTraits
    let completion: @Sendable (Service.Outcome) -> Void
}

/// What other threads hand to the push thread. Bounded by the bytes of all pushes that have not ended, wherever they
/// are: beyond the bound a push is not taken in.
final class PushInbox<Service: PushService>: Sendable {
    struct Resolution: Sendable {
        let origin: PushOrigin
        let addresses: [SocketAddress]
    }

    struct Delivery {
        var submissions: [PushSubmission<Service>] = []
        var resolutions: [Resolution] = []
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
    func offer(_ submission: PushSubmission<Service>) -> UnsentCause? {
        let (refusal, isFirst) = state.withLock { state -> (UnsentCause?, Bool) in
            if state.delivery.isStopping { return (.stopped, false) }
            if state.bytes + submission.traits.bytes > byteLimit { return (.queueFull, false) }
            state.bytes += submission.traits.bytes
            state.delivery.submissions.append(submission)
            return (nil, state.delivery.submissions.count == 1)
        }
        // The thread was woken for the first of a burst and takes all.
        if isFirst { wakeUp.signal() }
        return refusal
    }

    func resolved(_ resolution: Resolution) {
        state.withLock { $0.delivery.resolutions.append(resolution) }
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
                state.delivery.resolutions = []
            }
            return state.delivery
        }
    }

    var pendingBytes: Int { state.withLock { $0.bytes } }
}
