/// For callers that are on the loop's thread without the compiler knowing it, which is checked. `assumeIsolated` does
/// the same, but allocates a box for its closure in every call: too dear for each event of the library and each
/// delivery.
extension NetworkLoop {
    nonisolated func serveHere(_ event: ServiceEvent, from id: UInt64, _ wire: Wire) -> Int32 {
        executor.checkIsolated()
        return serveUnchecked(self, event, id, wire)
    }

    /// As `send(_:to:)`.
    public nonisolated func sendHere(_ bytes: [UInt8], to id: LinkID) -> SendOutcome {
        executor.checkIsolated()
        return sendUnchecked(self, bytes, id)
    }
}

private func serve(_ loop: isolated NetworkLoop, _ event: ServiceEvent, _ id: UInt64, _ wire: Wire) -> Int32 {
    loop.serve(event, from: id, wire)
}

private func send(_ loop: isolated NetworkLoop, _ bytes: [UInt8], _ id: LinkID) -> SendOutcome {
    loop.send(bytes, to: id)
}

/// The isolation of a function is no part of how it is called.
private let serveUnchecked = unsafe unsafeBitCast(
    serve as (isolated NetworkLoop, ServiceEvent, UInt64, Wire) -> Int32,
    to: (@Sendable (NetworkLoop, ServiceEvent, UInt64, Wire) -> Int32).self
)

private let sendUnchecked = unsafe unsafeBitCast(
    send as (isolated NetworkLoop, [UInt8], LinkID) -> SendOutcome,
    to: (@Sendable (NetworkLoop, [UInt8], LinkID) -> SendOutcome).self
)
