internal import DequeModule
internal import Dispatch
internal import Synchronization

/// Threads of their own for tasks, by `Task(executorPreference:)`. Those of Swift's pool are started by whichever
/// thread has something to run, and keep to the core of that one: see `CoreAffinity`.
///
/// They stay until the process ends. What waits for them has no bound here, as a task must not be lost: whoever starts
/// tasks bounds their number. A task that blocks takes one of the threads away from the others.
public final class TaskThreads: TaskExecutor {
    private let jobs = Mutex<Deque<UnownedJob>>([])
    /// As many as there are jobs; each wakes one thread.
    private let ready = DispatchSemaphore(value: 0)

    /// - Parameter name: as of `WorkerThread`, with the thread's number behind it.
    public init(name: String, count: Int) throws(WorkerThreadError) {
        for number in 0..<max(1, count) {
            _ = try WorkerThread(name: "\(name)-\(number)") { [self] in run() }
        }
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        ready.signal()
    }

    private func run() {
        while true {
            ready.wait()
            guard let job = jobs.withLock({ $0.popFirst() }) else { continue }
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
