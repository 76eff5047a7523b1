import Synchronization

/// Tells work on another thread, which looks from time to time, that nobody waits for it any more. Any thread.
public final class StopFlag: Sendable {
    private let state = Atomic(false)

    public init() {}

    public var isSet: Bool { state.load(ordering: .relaxed) }

    public func set() { state.store(true, ordering: .relaxed) }
}
