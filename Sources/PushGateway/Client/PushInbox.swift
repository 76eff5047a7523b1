internal import EventModel
internal import HTTPClient
internal import Synchronization

/// A submitted push.
final class PushSubmission<Service: PushService>: Sendable {
    let request: Service.Request
    let traits: PushTraits
    let permission: PushPermission?
    let completion: @Sendable (PushOutcome) -> Void

    init(
        _ request: Service.Request,
        traits: PushTraits,
        permission: PushPermission? = nil,
        completion: @escaping @Sendable (PushOutcome) -> Void
    ) {
        self.request = request
        self.traits = traits
        self.permission = permission
        self.completion = completion
    }
}

/// Passes pushes from other threads to the push thread. Limits the bytes of all pushes that have not ended, wherever
/// they are. A push beyond the limit is refused.
final class PushInbox<Service: PushService>: Sendable {
    struct Resolution: Sendable {
        let origin: PushOrigin
        let addresses: [SocketAddress]
    }

    /// The answer to a push's request for permission.
    struct Verdict: Sendable {
        let origin: PushOrigin
        /// The sequence of the job.
        let sequence: UInt64
        let permit: PushPermit
    }

    struct Delivery {
        var submissions: [PushSubmission<Service>] = []
        var resolutions: [Resolution] = []
        var verdicts: [Verdict] = []
        var isStopping = false
    }

    private struct State {
        var delivery = Delivery()
        var bytes = 0
        /// Something has arrived since the thread last took everything.
        var hasNews = false
        /// The thread is waiting or about to wait.
        var isAwaited = false

        /// - Returns: whether the thread must be woken. A working thread checks the inbox anyway, and one wake-up is
        ///   enough.
        mutating func announce() -> Bool {
            hasNews = true
            defer { isAwaited = false }
            return isAwaited
        }
    }

    private let byteLimit: Int
    private let wakeUp: WakeUp
    private let state = Mutex(State())

    init(byteLimit: Int, wakeUp: WakeUp) {
        self.byteLimit = byteLimit
        self.wakeUp = wakeUp
    }

    /// Returns `nil` if the push was accepted.
    func offer(_ submission: PushSubmission<Service>) -> UnsentCause? {
        let (refusal, wakes) = state.withLock { state -> (UnsentCause?, Bool) in
            if state.delivery.isStopping { return (.stopped, false) }
            if state.bytes + submission.traits.bytes > byteLimit { return (.queueFull, false) }
            state.bytes += submission.traits.bytes
            state.delivery.submissions.append(submission)
            return (nil, state.announce())
        }
        if wakes { wakeUp.signal() }
        return refusal
    }

    func resolved(_ resolution: Resolution) {
        announce { $0.delivery.resolutions.append(resolution) }
    }

    func decided(_ verdict: Verdict) {
        announce { $0.delivery.verdicts.append(verdict) }
    }

    func stop() {
        announce { $0.delivery.isStopping = true }
    }

    /// Releases the bytes of pushes that have ended.
    func release(bytes: Int) {
        state.withLock { $0.bytes -= bytes }
    }

    func take() -> Delivery {
        state.withLock { state in
            defer {
                state.delivery.submissions = []
                state.delivery.resolutions = []
                state.delivery.verdicts = []
            }
            (state.hasNews, state.isAwaited) = (false, false)
            return state.delivery
        }
    }

    /// Call before the thread waits. Returns true if it may wait; the next arrival then wakes it. Returns false if
    /// something has already arrived.
    func prepareToWait() -> Bool {
        state.withLock { state in
            state.isAwaited = !state.hasNews
            return state.isAwaited
        }
    }

    var pendingBytes: Int { state.withLock { $0.bytes } }

    private func announce(_ change: (inout State) -> Void) {
        let wakes = state.withLock { state in
            change(&state)
            return state.announce()
        }
        if wakes { wakeUp.signal() }
    }
}
