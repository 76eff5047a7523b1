/// A way to hand pushes to a service that delivers them.
public protocol PushTransport: Sendable {
    associatedtype Request: Sendable

    /// Never blocks. `completion` is called exactly once, from a thread of the transport or from this call; it must
    /// be short and may submit again.
    func submit(_ request: Request, completion: @escaping @Sendable (PushOutcome) -> Void)

    /// Gives what is under way a bounded time to end, then ends everything. Blocks until all completions were called.
    /// Not to be called from a completion.
    func stop()
}

extension PushTransport {
    public func submit(_ request: Request) async -> PushOutcome {
        await withCheckedContinuation { continuation in
            submit(request) { continuation.resume(returning: $0) }
        }
    }
}
