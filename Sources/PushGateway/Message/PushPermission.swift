/// Whether a push may be sent now. Asked each time when a stream for the push can be opened, because a push may have
/// waited long for a connection.
///
/// Called on the push thread; must not block. Calls `reply` exactly once, on any thread.
public typealias PushPermission = @Sendable (_ reply: @escaping @Sendable (PushPermit) -> Void) -> Void

public enum PushPermit: Sendable, Equatable {
    case granted
    /// The push has become pointless, and ends as `unsent`.
    case denied
    /// It cannot be found out now. The push ends as `unsent` and may be submitted again.
    case unknown
}
