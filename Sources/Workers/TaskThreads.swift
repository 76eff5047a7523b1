internal import DequeModule
internal import Dispatch
internal import Synchronization

/// Threads for tasks that are started with `Task(executorPreference:)`, so that they do not occupy Swift's pool.
///
/// The threads live until the process ends. The queue is unbounded, because no job may be lost, so the code that
/// starts tasks must limit their number. A task that blocks occupies one of the threads.
public final class TaskThreads: TaskExecutor {
    private let jobs = Mutex<Deque<UnownedJob>>([])
    /// Counts the jobs. Each signal wakes one thread.
    private let ready = DispatchSemaphore(value: 0)

    /// - Parameter name: as for `WorkerThread`. The thread's number is appended.
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
