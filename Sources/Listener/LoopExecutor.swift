internal import Glibc
internal import Synchronization

/// The loop's thread as an actor's executor. All jobs enter by one queue, in order. A burst of jobs costs one wake-up.
///
/// While no thread serves the loop (before `start`, after `stop`), the thread that enqueues a job runs the queue until
/// it is empty, so that no job is lost. The queue is bounded by its callers: it holds what they wait for.
final class LoopExecutor: SerialExecutor {
    enum Job {
        case task(UnownedJob)
        case work(@Sendable () -> Void)
    }

    private enum Server {
        case nobody
        case caller
        case thread(ServiceWaker)
    }

    private struct State {
        var queue: [Job] = []
        var server = Server.nobody
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
            switch state.server {
            case .nobody:
                state.server = .caller
                return true
            case .caller:
                return false
            case .thread(let waker):
                // Under the lock: after `stopWaking` no wake-up can reach a context that is being destroyed.
                if !state.wakePending {
                    state.wakePending = true
                    waker.wake()
                }
                return false
            }
        }
        if serveHere { serveUntilEmpty() }
    }

    /// Makes the calling thread the server of the queue if there is none. Ends with `hand(to:)` or `serveUntilEmpty`.
    func claim() -> Bool {
        let claimed = state.withLock { state -> Bool in
            guard case .nobody = state.server else { return false }
            state.server = .caller
            return true
        }
        if claimed { own() }
        return claimed
    }

    /// Gives the loop to a thread that will call `own`. From now on jobs wake the context. Only the thread
    /// that serves the queue calls this.
    func hand(to waker: ServiceWaker) {
        owner.store(0, ordering: .releasing)
        state.withLock { state in
            state.server = .thread(waker)
            if !state.queue.isEmpty {
                state.wakePending = true
                waker.wake()
            }
        }
    }

    func own() {
        owner.store(pthread_self(), ordering: .releasing)
    }

    /// No wake-up follows. The calling thread serves the queue until `serveUntilEmpty`.
    func stopWaking() {
        state.withLock { $0.server = .caller }
    }

    /// Runs the jobs that are queued. To be called by the server of the queue.
    func serve() {
        let jobs = state.withLock { state -> [Job] in
            state.wakePending = false
            let jobs = state.queue
            state.queue = []
            return jobs
        }
        run(jobs)
    }

    /// Runs jobs until there are none, then gives the queue up. To be called by its server when there is no context.
    func serveUntilEmpty() {
        own()
        while true {
            let jobs = state.withLock { state -> [Job] in
                let jobs = state.queue
                state.queue = []
                state.wakePending = false
                if jobs.isEmpty {
                    owner.store(0, ordering: .releasing)
                    state.server = .nobody
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
