package import EventModel
internal import Synchronization

/// Those who wait for the texts of chats, by the chats' ids. May be used on any thread.
package final class AgentChats: Sendable {
    package typealias Receiver = @Sendable (AgentChatText) -> Void

    private let receivers = Mutex<[String: (machine: MachineID, receive: Receiver)]>([:])

    package init() {}

    func add(_ id: String, on machine: MachineID, _ receiver: @escaping Receiver) {
        receivers.withLock { $0[id] = (machine, receiver) }
    }

    func remove(_ id: String) {
        receivers.withLock { $0[id] = nil }
    }

    /// Drops the text of a chat for which nobody waits, or which another machine answers.
    package func deliver(_ piece: AgentChatText, from machine: MachineID) {
        guard let receiver = receivers.withLock({ $0[piece.chatID] }), receiver.machine == machine else { return }
        receiver.receive(piece)
    }
}
