/// For the library's callback, which is on the loop's thread without the compiler knowing it; that is checked.
/// `assumeIsolated` does the same, but allocates a box for its closure in every call: too dear for each event.
extension NetworkLoop {
    nonisolated func serveHere(_ event: ServiceEvent, from id: UInt64, _ lws: LWSConnection) -> Int32 {
        executor.checkIsolated()
        return serveUnchecked(self, event, id, lws)
    }
}

private func serve(_ loop: isolated NetworkLoop, _ event: ServiceEvent, _ id: UInt64, _ lws: LWSConnection) -> Int32 {
    loop.serve(event, from: id, lws)
}

/// The isolation of a function is no part of how it is called.
private let serveUnchecked = unsafe unsafeBitCast(
    serve as (isolated NetworkLoop, ServiceEvent, UInt64, LWSConnection) -> Int32,
    to: (@Sendable (NetworkLoop, ServiceEvent, UInt64, LWSConnection) -> Int32).self
)
