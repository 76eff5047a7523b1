public import EventModel
import Sessions
public import WSFanout

/// The prompts of the sessions that are shown, told from events in the order of the log.
public struct PromptTrackers: Sendable {
    /// Sessions. Beyond it those without an open prompt are forgotten, and all where that does not halve them.
    static let maximum = 2048

    /// What a batch of events changes. It is kept apart until the batch is committed.
    public struct Update: Sendable {
        fileprivate var trackers: [String: PromptTracker] = [:]

        public init() {}
    }

    private var trackers: [String: PromptTracker] = [:]

    public init() {}

    /// The next events of the log, with what they change about prompts.
    public func encode(_ batch: [CommittedEvent], epoch: String) -> (events: [EncodedEvent], update: Update) {
        var update = Update()
        let events = batch.map { committed in
            EncodedEvent(committed, epoch: epoch, dialect: CdevFrames.with(news(of: committed, &update)))
        }
        return (events, update)
    }

    /// To be called in the order of the log.
    public mutating func apply(_ update: Update) {
        trackers.merge(update.trackers) { $1 }
        guard trackers.count > PromptTrackers.maximum else { return }
        trackers = trackers.filter { !$0.value.open.isEmpty }
        if trackers.count > PromptTrackers.maximum / 2 { trackers = [:] }
    }

    /// Forgets the prompts of these sessions, or of all.
    public mutating func forget(_ sessions: Set<String>?) {
        trackers = sessions.map { gone in trackers.filter { !gone.contains($0.key) } } ?? [:]
    }

    private func news(of committed: CommittedEvent, _ update: inout Update) -> PromptNews {
        guard let session = committed.event.sessionID else { return PromptNews() }
        if let signal = PromptSignal(committed) {
            let changes = update.trackers[session, default: trackers[session] ?? PromptTracker()].take(signal)
            return PromptNews(changes: changes)
        }
        guard let hook = HookEvent(committed), hook.concernsPrompts else { return PromptNews() }
        return update.trackers[session, default: trackers[session] ?? PromptTracker()].news(of: hook)
    }

    var count: Int { trackers.count }
}

/// What an event says about the prompts of its session.
struct PromptNews: Sendable {
    var changes: [PromptChange] = []
    /// The prompt that the event itself asks with.
    var asked: Prompt?

    var isEmpty: Bool { changes.isEmpty && asked == nil }

    /// The dialogs that are over, which cdev's clients close.
    var endedDialogs: [Prompt] { changes.closed.filter { $0.source == .call } }
}

extension PromptTracker {
    /// Takes the next event of the session.
    mutating func news(of hook: HookEvent) -> PromptNews {
        let changes = take(hook)
        return PromptNews(changes: changes, asked: changes.opened ?? prompt(askedBy: hook))
    }
}
