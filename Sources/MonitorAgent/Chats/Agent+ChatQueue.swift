internal import MachinePolicy
internal import Workers

/// The room for chats: as many are answered at a time as the machine's file says, and others wait.
extension Agent {
    /// How the wait for room has ended.
    enum ChatEntry: Sendable {
        /// A place is taken for the chat.
        case admitted
        case late
        case ended
    }

    /// Takes a place for a chat, as soon as there is one. `leaveChat` gives it back.
    func enterChat(_ id: String, of caller: AgentCommand.Person, _ file: AgentFile) async throws(CommandRefusal) {
        guard !chatQueue.contains(id) else { throw CommandRefusal(.alreadyRunning, "The chat waits for room.") }
        if chatPlaces < file.chats, chatQueue.isEmpty {
            chatPlaces += 1
            return
        }
        guard file.chats > 0, chatQueue.add(id, of: caller.id ?? caller.kind, now: now) else {
            throw CommandRefusal(
                .tooManyChats,
                "The machine answers \(file.chats) chats at a time, and \(chatQueue.count) wait already."
            )
        }
        ticker.notify()
        switch await withCheckedContinuation({ chatWaiters[id] = $0 }) {
        case .admitted: break
        case .late:
            let seconds = Int(ChatQueue.seconds)
            throw CommandRefusal(.tooManyChats, "The machine had no room for the chat in \(seconds) s.")
        case .ended: throw CommandRefusal(.notRunning, "The chat was ended before its turn.")
        }
    }

    func leaveChat() {
        chatPlaces -= 1
        admitChats()
    }

    /// Gives free places to those that wait.
    func admitChats() {
        guard !chatQueue.isEmpty else { return }
        let file = check().file
        let most = file.isUsable && file.chat ? file.chats : 0
        while chatPlaces < most, let id = chatQueue.next() {
            chatPlaces += 1
            endWait(of: id, .admitted)
        }
    }

    /// Refuses those that have waited for too long.
    func endLateWaits(now: Double) {
        for id in chatQueue.due(now: now) { endWait(of: id, .late) }
    }

    /// Returns false if the chat does not wait.
    func endWait(of id: String) -> Bool {
        guard chatQueue.remove(id) else { return false }
        endWait(of: id, .ended)
        return true
    }

    func endWaits() {
        for id in chatQueue.removeAll() { endWait(of: id, .ended) }
    }

    private func endWait(of id: String, _ how: ChatEntry) {
        chatWaiters.removeValue(forKey: id)?.resume(returning: how)
    }
}
