internal import DequeModule
internal import Dispatch
internal import Synchronization

/// Threads for tasks, by `Task(executorPreference:)`, so that they do not take Swift's pool from other tasks.
///
/// The threads live until the process ends. The queue has no bound, because a job must not be lost: whoever starts
/// tasks must bound their number. A task that blocks takes one of the threads away from the others.
public final class TaskThreads: TaskExecutor {
    private let jobs = Mutex<Deque<UnownedJob>>([])
    /// Counts the jobs. Each signal wakes one thread.
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
