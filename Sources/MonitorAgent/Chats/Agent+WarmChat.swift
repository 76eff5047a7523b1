internal import ClaudeRunner
internal import EventModel
internal import MachinePolicy
internal import Workers

/// The one client that waits for the next plain chat. It is like that of the last chat, and takes no place of a chat.
extension Agent {
    /// Begins the chat in the client that waits, if it is what would be started, else in a new one.
    func begin(_ start: ChatStart) async throws(ClaudeStartError) -> ChatProcess {
        if let warm = warmChat, warm.fits(start.client, SmallFile.stamp(of: start.client.executable), now: now) {
            // Before anything is waited for: no second chat may get it.
            warmChat = nil
            if await warm.process.begin(start) { return warm.process }
        }
        return try await ChatProcess.start(start, below: places.chats)
    }

    /// Starts a client for the next chat, once the last one is being answered.
    func warmUp(_ client: ChatClient) {
        guard client.isWithoutTexts, !isWarming, isLinked else { return }
        isWarming = true
        Task {
            await replaceWarmChat(by: client)
            isWarming = false
            ticker.notify()
        }
    }

    private func replaceWarmChat(by client: ChatClient) async {
        guard let program = SmallFile.stamp(of: client.executable) else { return }
        if let warm = warmChat {
            if warm.fits(client, program, now: now), await warm.process.isReady { return }
            await endWarmChat()
        }
        let generation = link.generation
        var random = SystemRandomNumberGenerator()
        let id = EventID.version4(using: &random).description
        // The next chat tells why a client does not start.
        guard let process = try? await ChatProcess.prepare(client, id: id, below: places.chats) else { return }
        guard isLinked, generation == link.generation else { return await process.interrupt() }
        warmChat = WarmChat(process, client, program, files.agent(), now: now)
    }

    private var isLinked: Bool { !isStopping && link.peer != nil }

    func endWarmChat() async {
        guard let warm = warmChat else { return }
        warmChat = nil
        await warm.process.interrupt()
    }

    /// Ends the waiting process if it is too old, or if the machine's file now asks for another one.
    func tendWarmChat(now: Double) async {
        guard let warm = warmChat else { return }
        let file = check().file
        var client = warm.client
        client.environment = childEnvironment(file)
        client.executable = (try? program(file)) ?? ""
        let isWanted = file.isUsable && file.chat && file.chats > 0
        guard !isWanted || !warm.fits(client, SmallFile.stamp(of: client.executable), now: now) else { return }
        await endWarmChat()
    }
}
