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

    private var chatPlaces: Int { chats.count + startingChats.count }

    /// Takes a place for a chat, as soon as there is one. `leaveChat` gives it back.
    func enterChat(_ command: AgentCommand, _ file: AgentFile) async throws(CommandRefusal) {
        let (id, caller) = (command.sessionID, command.by)
        // The connection may have ended since the command came.
        guard isHeard(command) else { throw Agent.endedEarly }
        guard !chatQueue.contains(id), startingChats[id] == nil else {
            throw CommandRefusal(.alreadyRunning, "The chat waits for room.")
        }
        if chatPlaces < file.chats, chatQueue.isEmpty {
            startingChats[id] = false
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
        case .ended: throw Agent.endedEarly
        }
        if startingChats[id] == true {
            leaveChat(id)
            throw Agent.endedEarly
        }
    }

    private static let endedEarly = CommandRefusal(.notRunning, "The chat was ended before its turn.")

    /// Gives back the place of a chat that has no process any more.
    func leaveChat(_ id: String) {
        startingChats[id] = nil
        admitChats()
    }

    /// Gives free places to those that wait.
    func admitChats() {
        guard !chatQueue.isEmpty else { return }
        let file = check().file
        let most = file.isUsable && file.chat ? file.chats : 0
        while chatPlaces < most, let id = chatQueue.next() {
            startingChats[id] = false
            endWait(of: id, .admitted)
        }
    }

    /// Refuses those that have waited for too long.
    func endLateWaits(now: Double) {
        for id in chatQueue.due(now: now) { endWait(of: id, .late) }
    }

    /// Ends a chat that has no process yet. Returns false if there is none.
    func endEntry(of id: String) -> Bool {
        if chatQueue.remove(id) {
            endWait(of: id, .ended)
            return true
        }
        guard startingChats[id] != nil else { return false }
        startingChats[id] = true
        return true
    }

    func endEntries() {
        for id in chatQueue.removeAll() { endWait(of: id, .ended) }
        for id in startingChats.keys { startingChats[id] = true }
    }

    private func endWait(of id: String, _ how: ChatEntry) {
        chatWaiters.removeValue(forKey: id)?.resume(returning: how)
    }
}
