/// Passes pushes to a service that delivers them.
public protocol PushTransport: Sendable {
    associatedtype Request: Sendable

    /// Never blocks. Calls `completion` exactly once, from a thread of the transport or from this call. The
    /// completion must be short and may submit again.
    ///
    /// - Parameter permission: asked before each stream for the push is opened; `nil` if it may always be sent.
    func submit(
        _ request: Request,
        permission: PushPermission?,
        completion: @escaping @Sendable (PushOutcome) -> Void
    )

    /// Gives pushes in progress a limited time to end, then ends all of them. Blocks until all completions have been
    /// called. Must not be called from a completion.
    func stop()
}

extension PushTransport {
    public func submit(_ request: Request) async -> PushOutcome {
        await withCheckedContinuation { continuation in
            submit(request, permission: nil) { continuation.resume(returning: $0) }
        }
    }
}
