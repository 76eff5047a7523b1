package import EventModel
internal import Synchronization

/// Passes what an agent reports to the listener for its chat or message. An id has one listener. May be used on any
/// thread.
package final class AgentListeners<Told: Sendable>: Sendable {
    package typealias Receiver = @Sendable (Told) -> Void

    private let receivers = Mutex<[String: (machine: MachineID, receive: Receiver)]>([:])

    package init() {}

    func add(_ id: String, on machine: MachineID, _ receiver: @escaping Receiver) {
        receivers.withLock { $0[id] = (machine, receiver) }
    }

    func remove(_ id: String) {
        receivers.withLock { $0[id] = nil }
    }

    /// Drops reports for which nobody waits, and reports of another machine.
    package func deliver(_ told: Told, of id: String, from machine: MachineID) {
        guard let receiver = receivers.withLock({ $0[id] }), receiver.machine == machine else { return }
        receiver.receive(told)
    }
}
