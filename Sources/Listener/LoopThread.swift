internal import Glibc

/// One pthread that runs one closure. Joined once, by whoever waits for its end.
@safe final class LoopThread: Sendable {
    private let handle: pthread_t

    init(_ body: @escaping @Sendable () -> Void) throws(ListenerError) {
        var handle: pthread_t = 0
        let box = unsafe Unmanaged.passRetained(LoopThreadBody(body))
        let code = unsafe pthread_create(&handle, nil, loopThreadMain, box.toOpaque())
        guard code == 0 else {
            unsafe box.release()
            throw .threadFailed(errno: code)
        }
        self.handle = handle
    }

    /// Blocks until the thread has ended; call it when the end is near.
    func join() {
        _ = pthread_join(handle, nil)
    }
}

private final class LoopThreadBody {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}

/// Called once by pthread_create on the new thread; the argument is a retained `LoopThreadBody`.
private func loopThreadMain(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument = unsafe argument else { return nil }
    let body = unsafe Unmanaged<LoopThreadBody>.fromOpaque(argument).takeRetainedValue()
    var signals = sigset_t()
    unsafe sigfillset(&signals)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    body.run()
    return nil
}
