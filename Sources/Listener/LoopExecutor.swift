internal import Glibc
internal import Synchronization

/// The loop's thread as an actor's executor. Everything enters by one queue in order; a burst costs one wake.
///
/// While no thread serves the loop (before `start`, after `stop`) whoever enqueues becomes its servant until the
/// queue is empty, so that no job is ever lost. The queue holds what callers of the actor wait for: it is bounded by
/// them.
final class LoopExecutor: SerialExecutor {
    enum Job {
        case task(UnownedJob)
        case work(@Sendable () -> Void)
    }

    private enum Servant {
        case nobody
        case caller
        case thread(ServiceWaker)
    }

    private struct State {
        var queue: [Job] = []
        var servant = Servant.nobody
        var wakePending = false
    }

    private let state = Mutex(State())
    /// The thread that may touch the actor's state; 0: none. Written by that thread alone.
    private let owner = Atomic<UInt>(0)

    func enqueue(_ job: consuming ExecutorJob) {
        submit(.task(UnownedJob(job)))
    }

    /// Any thread.
    func submit(_ job: Job) {
        let serveHere = state.withLock { state -> Bool in
            state.queue.append(job)
            switch state.servant {
            case .nobody:
                state.servant = .caller
                return true
            case .caller:
                return false
            case .thread(let waker):
                // Under the lock: after `leave` no wake can reach a context that is being destroyed.
                if !state.wakePending {
                    state.wakePending = true
                    waker.wake()
                }
                return false
            }
        }
        if serveHere { serveUntilEmpty() }
    }

    /// Makes the calling thread the servant if there is none. Ends with `hand(to:)` or `leave`.
    func claim() -> Bool {
        let claimed = state.withLock { state -> Bool in
            guard case .nobody = state.servant else { return false }
            state.servant = .caller
            return true
        }
        if claimed { own() }
        return claimed
    }

    /// The servant gives the loop to a thread that will call `own`. From now on jobs wake the context.
    func hand(to waker: ServiceWaker) {
        owner.store(0, ordering: .releasing)
        state.withLock { state in
            state.servant = .thread(waker)
            if !state.queue.isEmpty {
                state.wakePending = true
                waker.wake()
            }
        }
    }

    func own() {
        owner.store(pthread_self(), ordering: .releasing)
    }

    /// No wake after this; the calling thread stays the servant until `serveUntilEmpty`.
    func stopWaking() {
        state.withLock { $0.servant = .caller }
    }

    /// One burst. Servant only.
    func serve() {
        let jobs = state.withLock { state -> [Job] in
            state.wakePending = false
            let jobs = state.queue
            state.queue = []
            return jobs
        }
        run(jobs)
    }

    /// Servant without a context: serves, then gives the loop up.
    func serveUntilEmpty() {
        own()
        while true {
            let jobs = state.withLock { state -> [Job] in
                let jobs = state.queue
                state.queue = []
                state.wakePending = false
                if jobs.isEmpty {
                    owner.store(0, ordering: .releasing)
                    state.servant = .nobody
                }
                return jobs
            }
            if jobs.isEmpty { return }
            run(jobs)
        }
    }

    private func run(_ jobs: [Job]) {
        for job in jobs {
            switch job {
            case .task(let job): unsafe job.runSynchronously(on: asUnownedSerialExecutor())
            case .work(let work): work()
            }
        }
    }

    func isIsolatingCurrentContext() -> Bool? {
        owner.load(ordering: .acquiring) == pthread_self()
    }

    func checkIsolated() {
        precondition(owner.load(ordering: .acquiring) == pthread_self(), "called off the network loop's thread")
    }
}
