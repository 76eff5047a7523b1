internal import API
internal import CdevDialect
internal import EventModel
internal import JSON
internal import Listener
internal import Persistence
internal import Prompts
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
    func tellOpenPrompts(_ channel: ChannelID, _ transport: Transport, _ filter: EventFilter) {
        guard filter.types?.contains(.promptOpened) ?? true else { return }
        Task(executorPreference: context.executor(of: .server)) { [context] in
            let prompts = await context.prompts.open.all().filter(filter.matches)
            guard !prompts.isEmpty else { return }
            let bytes = OpenPromptsNotice(prompts, at: context.clock()).message.bytes(for: transport)
            context.loop.post { handler, _ in
                guard handler.channels[channel] != nil else { return }
                handler.hub.send(bytes, to: channel)
                handler.reached(prompts.map(\.prompt.id), on: channel)
            }
        }
    }

    /// Records that the device on the channel has received these prompts.
    func reached(_ prompts: [String], on channel: ChannelID) {
        guard let device = device(of: channel) else { return }
        let now = context.clock()
        context.prompts.reached(prompts.map { PromptReach(.delivered, of: $0, on: device, at: now) })
    }

    /// Records which devices have received these prompts, which were just published.
    func delivered(_ opened: [(event: EncodedEvent, promptID: String)]) {
        guard !opened.isEmpty, !revocableChannels.isEmpty else { return }
        let now = context.clock()
        var reaches: [PromptReach] = []
        for (event, promptID) in opened {
            let devices = Set(hub.receivers(of: event).compactMap { device(of: $0) })
            reaches += devices.map { PromptReach(.delivered, of: promptID, on: $0, at: now) }
        }
        context.prompts.reached(reaches)
    }
}

extension EventFilter {
    /// Whether a subscriber with this filter gets the prompt's events. Ignores the types of the events.
    fileprivate func matches(_ record: PromptRecord) -> Bool {
        covers(
            session: record.prompt.sessionID,
            workspace: record.prompt.workspaceID,
            machine: record.prompt.machine,
            reportedName: record.reportedMachineName
        )
    }
}
