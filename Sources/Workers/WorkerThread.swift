import Dispatch
import Glibc

/// A thread for work that blocks, such as a C library's event loop or a database connection. It starts at once
/// and ends when its body returns.
package final class WorkerThread: Sendable {
    private let finished = DispatchGroup()

    /// - Parameters:
    ///   - name: shown by `top -H` and debuggers; Linux keeps its first 15 bytes.
    ///   - body: runs on the new thread, once.
    package init(name: String, _ body: @escaping @Sendable () -> Void) throws(WorkerThreadError) {
        finished.enter()
        let start = unsafe Unmanaged.passRetained(ThreadStart(name: name, finished: finished, body: body))
        var thread = pthread_t()
        let code = unsafe pthread_create(&thread, nil, runThread, start.toOpaque())
        guard code == 0 else {
            unsafe start.release()
            finished.leave()
            throw WorkerThreadError(errorNumber: code)
        }
        pthread_detach(thread)
    }

    /// Waits until the body has returned. Any number of threads may wait, but not the worker itself.
    package func join() {
        finished.wait()
    }

    /// Like `join`, with a timeout. Returns false if the body still runs.
    package func join(timeoutMilliseconds: Int) -> Bool {
        finished.wait(timeout: .now() + .milliseconds(timeoutMilliseconds)) == .success
    }

    /// Blocks the calling thread; for workers only.
    package static func sleep(milliseconds: Int) {
        _ = MonotonicSemaphore().wait(until: MonotonicSemaphore.Deadline(milliseconds: milliseconds))
    }
}

/// The system cannot start another thread. A retry may help later.
package struct WorkerThreadError: Error, CustomStringConvertible {
    package let errorNumber: Int32

    package var description: String { "no thread could be started (errno \(errorNumber))" }
}

private final class ThreadStart: Sendable {
    let name: String
    let finished: DispatchGroup
    let body: @Sendable () -> Void

    init(name: String, finished: DispatchGroup, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.finished = finished
        self.body = body
    }
}

/// Called by pthread_create(3) once, on the new thread. `argument` is a retained `ThreadStart`, released here.
private func runThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument = unsafe argument else { return nil }
    let start = unsafe Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue()
    nameCurrentThread(start.name)
    blockSignals()
    start.body()
    start.finished.leave()
    return nil
}

/// Blocks all signals in this thread, so that they go to the thread that waits for them.
private func blockSignals() {
    var signals = sigset_t()
    unsafe sigfillset(&signals)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
}

/// Sets the name through proc(5), as pthread_setname_np(3) does. Swift cannot see that function, because its
/// declaration is a GNU extension. Ignores a failure, because a thread works without a name.
private func nameCurrentThread(_ name: String) {
    let file = unsafe open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    let bytes = Array(name.utf8.prefix(15))
    _ = unsafe write(file, bytes, bytes.count)
    close(file)
}
