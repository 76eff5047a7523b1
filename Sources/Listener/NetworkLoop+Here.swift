/// Entry for the library's callback, which runs on the loop's thread without the compiler knowing. The thread is
/// checked at run time. `assumeIsolated` does the same, but allocates a box for its closure in every call, which is too
/// slow for each event.
extension NetworkLoop {
    nonisolated func serveHere(_ event: ServiceEvent, from id: UInt64, _ lws: LWSConnection) -> Int32 {
        executor.checkIsolated()
        return serveUnchecked(self, event, id, lws)
    }
}

private func serve(_ loop: isolated NetworkLoop, _ event: ServiceEvent, _ id: UInt64, _ lws: LWSConnection) -> Int32 {
    loop.serve(event, from: id, lws)
}

/// Isolation does not change a function's calling convention.
private let serveUnchecked = unsafe unsafeBitCast(
    serve as (isolated NetworkLoop, ServiceEvent, UInt64, LWSConnection) -> Int32,
    to: (@Sendable (NetworkLoop, ServiceEvent, UInt64, LWSConnection) -> Int32).self
)
