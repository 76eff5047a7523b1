internal import Synchronization

/// Who looks at which session, of all hubs of a process. Any thread.
public final class SharedPresence: Sendable {
    private let state = Mutex(Presence())

    public init() {}

    public var now: Presence { state.withLock { $0 } }

    func apply(_ change: PresenceChange, of clientID: String) -> [PresenceNotice] {
        state.withLock { $0.apply(change, of: clientID) }
    }

    func remove(_ clientID: String) -> [PresenceNotice] {
        state.withLock { $0.remove(clientID) }
    }
}
