import Synchronization

/// Tells work on another thread to stop. The work must check the flag. Usable from any thread.
public final class StopFlag: Sendable {
    private let state = Atomic(false)

    public init() {}

    public var isSet: Bool { state.load(ordering: .relaxed) }

    public func set() { state.store(true, ordering: .relaxed) }
}
