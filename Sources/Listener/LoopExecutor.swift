internal import Glibc
internal import Synchronization

/// The loop's thread as an actor's executor. All jobs enter through one queue, in order. A burst of jobs costs one
/// wake-up.
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
    /// The thread that may access the actor's state; 0 means none. Only that thread writes it.
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

    /// Makes the calling thread serve the queue if no thread does. `hand(to:)` or `serveUntilEmpty` ends this.
    func claim() -> Bool {
        let claimed = state.withLock { state -> Bool in
            guard case .nobody = state.server else { return false }
            state.server = .caller
            return true
        }
        if claimed { own() }
        return claimed
    }

    /// Hands the loop to a thread that will call `own`. From then on, jobs wake the context. Only the thread that
    /// serves the queue may call this.
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

    /// No wake-up follows this call. The calling thread serves the queue until `serveUntilEmpty`.
    func stopWaking() {
        state.withLock { $0.server = .caller }
    }

    /// Runs the queued jobs. Only the thread that serves the queue may call this.
    func serve() {
        let jobs = state.withLock { state -> [Job] in
            state.wakePending = false
            let jobs = state.queue
            state.queue = []
            return jobs
        }
        run(jobs)
    }

    /// Runs jobs until there are none, then stops serving the queue. Only the thread that serves it may call this, when
    /// there is no context.
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
