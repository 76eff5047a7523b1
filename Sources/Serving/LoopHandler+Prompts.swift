internal import CdevDialect
internal import ClientAPI
internal import EventModel
internal import Interaction
internal import JSON
internal import Listener
internal import Persistence
internal import Sessions
internal import WSFanout

/// An event of the log that reports a new prompt to clients.
struct OpenedPrompt {
    var id: String

    /// Returns `nil` for other events.
    init?(_ committed: CommittedEvent) {
        guard committed.event.type == .promptOpened,
            let id = (try? JSONValue.parse(committed.event.payload))?["prompt_id"]?.string
        else { return nil }
        self.id = id
    }
}

extension LoopHandler {
    /// Sends a client that has just connected the prompts that wait for a person. If none waits, it gets no message.
    func tellOpenPrompts(
        _ channel: ChannelID,
        _ transport: Transport,
        _ filter: EventFilter,
        on loop: NetworkLoop
    ) {
        guard filter.types?.contains(.promptOpened) ?? true else { return }
        Task(executorPreference: context.executor(of: .server)) { [context, loop] in
            let prompts = await context.interaction.openPrompts().filter(filter.matches)
            guard !prompts.isEmpty else { return }
            let bytes = OpenPromptsNotice(prompts, at: context.clock()).message.bytes(for: transport)
            loop.post { loop in
                guard let handler = loop.handler as? LoopHandler, handler.channels[channel] != nil else { return }
                handler.hub.send(bytes, to: channel)
                guard let device = handler.deviceChannels[channel]?.device else { return }
                let now = context.clock()
                context.interaction.reached(
                    prompts.map { PromptReach(.delivered, of: $0.prompt.id, on: device, at: now) }
                )
            }
        }
    }

    /// Sends a client of the cdev dialect the dialogs of open prompts. Without this, it would know only those that
    /// opened while it was connected.
    func remind(_ channel: ChannelID, of reminders: [CdevReminder], on loop: NetworkLoop) {
        let device = deviceChannels[channel]?.device
        let sessions = Set(reminders.compactMap { shownSessions.session(of: device, after: $0) })
        guard !sessions.isEmpty, case .webSocket(let conversation)? = channels[channel] else { return }
        let before = hub.window.head
        let owner = QueryOwner(conversation.origin.principal, peer: conversation.origin.peer)
        Task(executorPreference: context.executor(of: owner)) { [context, loop] in
            for session in sessions {
                let open = await QueryOwner.$current.withValue(owner) {
                    await context.interaction.openRequests(of: session)
                }
                guard !open.isEmpty else { continue }
                loop.post { loop in
                    (loop.handler as? LoopHandler)?.show(open, to: channel, readAfter: before)
                }
            }
        }
    }

    /// - Parameter before: the end of the log before the prompts were read. A prompt that has ended since is not shown,
    ///   because its end was sent already.
    private func show(
        _ open: [(prompt: Prompt, request: CommittedEvent)],
        to channel: ChannelID,
        readAfter before: Int64
    ) {
        guard channels[channel] != nil else { return }
        let ended = Set(hub.recentEvents(after: before).flatMap(\.endedPrompts))
        let now = context.clock()
        let shown = open.filter { !ended.contains($0.prompt.id) }
        for (prompt, request) in shown {
            let frames = PromptReminder.frames(of: prompt, askedBy: request, epoch: hub.window.epoch, at: now)
            if !frames.isEmpty { hub.send(frames, to: channel) }
        }
        guard let device = deviceChannels[channel]?.device else { return }
        context.interaction.reached(shown.map { PromptReach(.delivered, of: $0.prompt.id, on: device, at: now) })
    }

    /// Records which devices have received these prompts, which were just published.
    func delivered(_ opened: [(event: EncodedEvent, promptID: String)]) {
        guard !opened.isEmpty, !deviceChannels.isEmpty else { return }
        let now = context.clock()
        var reaches: [PromptReach] = []
        for (event, promptID) in opened {
            let devices = Set(hub.receivers(of: event).compactMap { deviceChannels[$0]?.device })
            reaches += devices.map { PromptReach(.delivered, of: promptID, on: $0, at: now) }
        }
        context.interaction.reached(reaches)
    }
}

extension EventFilter {
    /// Whether a subscriber with this filter gets the prompt's events. Ignores the types of the events.
    fileprivate func matches(_ record: PromptRecord) -> Bool {
        let prompt = record.prompt
        if let sessionID, sessionID != prompt.sessionID { return false }
        if let workspaceID, workspaceID != prompt.workspaceID { return false }
        if let workspaceIDs, !(prompt.workspaceID.map(workspaceIDs.contains) ?? false) { return false }
        return machine?.matches(prompt.machine, reportedName: record.reportedMachineName) ?? true
    }
}
