import Synchronization

/// Tells work on another thread to stop. The work must check the flag. Usable from any thread.
package final class StopFlag: Sendable {
    private let state = Atomic(false)

    package init() {}

    package var isSet: Bool { state.load(ordering: .relaxed) }

    package func set() { state.store(true, ordering: .relaxed) }
}
