internal import Synchronization

/// Ends an exchange from another thread.
final class ExchangeStop: Sendable {
    let wakeUp: WakeUp
    private let state = Atomic(false)

    init() throws(ConnectionError) {
        wakeUp = try WakeUp()
    }

    var isSet: Bool { state.load(ordering: .acquiring) }

    func set() {
        state.store(true, ordering: .releasing)
        wakeUp.signal()
    }
}
