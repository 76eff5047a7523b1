package import EventModel
internal import Synchronization

/// Those who follow the answers to messages, by the messages' ids. May be used on any thread.
package final class AgentTurns: Sendable {
    package typealias Receiver = @Sendable (AgentTurnStep) -> Void

    private let receivers = Mutex<[String: (machine: MachineID, receive: Receiver)]>([:])

    package init() {}

    func add(_ message: String, on machine: MachineID, _ receiver: @escaping Receiver) {
        receivers.withLock { $0[message] = (machine, receiver) }
    }

    func remove(_ message: String) {
        receivers.withLock { $0[message] = nil }
    }

    /// Drops a step that nobody waits for, or that another machine reports.
    package func deliver(_ step: AgentTurnStep, from machine: MachineID) {
        guard let receiver = receivers.withLock({ $0[step.messageID] }), receiver.machine == machine else { return }
        receiver.receive(step)
    }
}
