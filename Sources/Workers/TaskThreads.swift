/// Threads of their own for tasks, by `Task(executorPreference:)`. Those of Swift's pool are started by whichever
/// thread has something to run, and keep to the core of that one: see `CoreAffinity`.
///
/// They stay until the process ends. What waits for them has no bound here, as a task must not be lost: whoever starts
/// tasks bounds their number. A task that blocks takes one of the threads away from the others.
public final class TaskThreads: TaskExecutor {
    private let jobs = Mailbox<UnownedJob>(byteLimit: .max)

    /// - Parameter name: as of `WorkerThread`, with the thread's number behind it.
    public init(name: String, count: Int) throws(WorkerThreadError) {
        for number in 0..<max(1, count) {
            _ = try WorkerThread(name: "\(name)-\(number)") { [self] in run() }
        }
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        // Not refused: it costs no bytes, and the mailbox is never closed.
        _ = jobs.offer(UnownedJob(job), bytes: 0)
    }

    private func run() {
        while case .elements(let taken) = jobs.takeAll(maxElements: 1, timeoutMilliseconds: nil) {
            for job in taken { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }
}
