internal import Synchronization

/// Threads for tasks that are started with `Task(executorPreference:)`, so that they do not occupy Swift's pool.
///
/// Owners take turns: between two jobs of one owner, each other owner with a waiting job runs one. One owner gets all
/// threads but one, so that a job of another owner always finds a thread soon.
///
/// The threads live until the process ends. The queue is unbounded, because no job may be lost, so the code that
/// starts tasks must limit their number. A task that blocks occupies one of the threads.
package final class TaskThreads<Owner: Hashable & Sendable>: Sendable {
    private let jobs: FairMailbox<Owner, TaskJob>

    /// - Parameters:
    ///   - name: as for `WorkerThread`. The thread's number is appended.
    ///   - count: at least 2.
    package init(name: String, count: Int) throws(WorkerThreadError) {
        let count = max(2, count)
        jobs = FairMailbox(workers: count, workersOfOwner: count - 1, waiting: .max)
        for number in 0..<count {
            _ = try WorkerThread(name: "\(name)-\(number)") { [jobs] in
                var finished: Owner?
                while let (owner, job) = jobs.take(after: finished) {
                    job.run()
                    finished = owner
                }
            }
        }
    }

    /// The executor for the tasks of an owner. Owners that are equal share their turns.
    package func executor(of owner: Owner) -> some TaskExecutor {
        // The mailbox is never closed, and its room has no limit, so it accepts each job.
        OwnedExecutor { [jobs] job in _ = jobs.offer(job, from: owner) }
    }
}

/// A part of a task, together with the executor to which the task belongs.
struct TaskJob: Sendable {
    fileprivate let job: UnownedJob
    fileprivate let executor: OwnedExecutor

    fileprivate func run() {
        unsafe job.runSynchronously(on: executor.asUnownedTaskExecutor())
    }
}

private final class OwnedExecutor: TaskExecutor {
    private let offer: @Sendable (TaskJob) -> Void

    init(_ offer: @escaping @Sendable (TaskJob) -> Void) {
        self.offer = offer
    }

    func enqueue(_ job: consuming ExecutorJob) {
        offer(TaskJob(job: UnownedJob(job), executor: self))
    }
}
