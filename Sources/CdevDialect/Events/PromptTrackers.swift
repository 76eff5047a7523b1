package import EventModel
import Sessions
package import Transcripts
package import WSFanout

/// The prompts of the sessions that are shown, and what their transcripts have reported recently. Both are derived from
/// events in the order of the log.
package struct PromptTrackers: Sendable {
    /// The maximum number of sessions. If there are more, the trackers of sessions without an open prompt are removed.
    /// If more than half of the maximum are left, these are removed too.
    static let maximum = 2048

    /// What a batch of events changes. It is kept apart until the batch is committed.
    package struct Update: Sendable {
        fileprivate var trackers: [String: PromptTracker] = [:]
        fileprivate var told: [String: ToldByTranscript] = [:]

        package init() {}
    }

    private var trackers: [String: PromptTracker] = [:]
    private var told: [String: ToldByTranscript] = [:]
    /// The `tool_use_id` that clients know, by permission request. Needed if the start of the call is not among the
    /// events.
    private var names: [EventID: String] = [:]

    package init() {}

    /// - Parameters:
    ///   - names: the `tool_use_id` that clients know, for each permission request that will be encoded.
    ///   - growth: the events of growing transcripts among the last `ToldByTranscript.window` events of each
    ///     session, each with the number of events since, the oldest first.
    package init(names: [EventID: String], after growth: [(age: Int, event: CommittedEvent)] = []) {
        self.names = names
        for (age, event) in growth {
            guard let session = event.event.sessionID, let marks = TranscriptGrowth(event)?.marks,
                !marks.isEmpty
            else { continue }
            told[session, default: ToldByTranscript()].remember(marks, age: age)
        }
    }

    /// Encodes the next events of the log. Call `apply` with the update when they are committed.
    package func encode(_ batch: [CommittedEvent], epoch: String) -> (events: [EncodedEvent], update: Update) {
        encode(batch, epoch: epoch, grown: nil)
    }

    /// - Parameter grown: the messages that transcript events report, by `seq`. If `nil`, such events are incomplete.
    package func encode(
        _ batch: [CommittedEvent],
        epoch: String,
        grown: [Int64: GrownMessages]?
    ) -> (events: [EncodedEvent], update: Update) {
        var update = Update()
        let events = batch.map { committed in
            var context = EventContext(prompts: news(of: committed, &update))
            if committed.event.type == .transcript {
                let growth = TranscriptGrowth(committed)
                context.hasTranscript = note(growth?.marks ?? [], committed, &update)
                context.grown = grown?[committed.seq]
                context.lacksMessages = grown == nil && growth?.isNews ?? false
            } else {
                (context.isRepeated, context.hasTranscript) = told(committed, &update)
            }
            return EncodedEvent(committed, epoch: epoch, dialect: CdevFrames.with(context))
        }
        return (events, update)
    }

    /// Must be called in the order of the log.
    package mutating func apply(_ update: Update) {
        for (session, known) in update.told { told[session] = known.isEmpty ? nil : known }
        if told.count > PromptTrackers.maximum { told = [:] }
        trackers.merge(update.trackers) { $1 }
        guard trackers.count > PromptTrackers.maximum else { return }
        trackers = trackers.filter { !$0.value.open.isEmpty }
        if trackers.count > PromptTrackers.maximum / 2 { trackers = [:] }
    }

    /// Forgets the prompts of these sessions, or of all.
    package mutating func forget(_ sessions: Set<String>?) {
        trackers = sessions.map { gone in trackers.filter { !gone.contains($0.key) } } ?? [:]
        told = sessions.map { gone in told.filter { !gone.contains($0.key) } } ?? [:]
    }

    /// Returns whether the session's transcript has reported lines before.
    private func note(_ marks: Set<MessageMark>, _ committed: CommittedEvent, _ update: inout Update) -> Bool {
        guard let session = committed.event.sessionID, !marks.isEmpty else { return false }
        return update.told[session, default: told[session] ?? ToldByTranscript()].grow(marks)
    }

    /// Whether a transcript has already reported the hook's message, and whether it reports the end of each turn.
    private func told(
        _ committed: CommittedEvent,
        _ update: inout Update
    ) -> (isRepeated: Bool, hasTranscript: Bool) {
        guard let session = committed.event.sessionID, var known = update.told[session] ?? told[session] else {
            return (false, false)
        }
        defer { update.told[session] = known }
        let isRepeated = known.hasTold(committed)
        return (isRepeated, committed.event.type == EventType(.known(.stop)) && !known.isEmpty)
    }

    private func news(of committed: CommittedEvent, _ update: inout Update) -> PromptNews {
        let news = trackedNews(of: committed, &update)
        return names.isEmpty ? news : news.mapPrompts { prompt in names[prompt.openedBy].map(prompt.named) ?? prompt }
    }

    private func trackedNews(of committed: CommittedEvent, _ update: inout Update) -> PromptNews {
        guard let session = committed.event.sessionID else { return PromptNews() }
        if let signal = PromptSignal(committed) {
            return update.trackers[session, default: trackers[session] ?? PromptTracker()]
                .news(of: signal, committed.event)
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
    /// Whether the session still waits for a person after the event.
    var isWaiting = false

    var isEmpty: Bool { changes.isEmpty && asked == nil }

    func mapPrompts(_ change: (Prompt) -> Prompt) -> PromptNews {
        var news = self
        (news.changes, news.asked) = (changes.map { $0.mapPrompt(change) }, asked.map(change))
        return news
    }

    /// The dialogs that have ended and that cdev's clients close.
    var endedDialogs: [Prompt] { changes.closed.filter { $0.source == .call } }

    /// Whether the event is an answer with which the session goes on. A refusal at the terminal ends the turn.
    var goesOn: Bool {
        !isWaiting
            && changes.closed.contains { $0.source != .idle && $0.state == .answered && !$0.isRefusedAtTerminal }
    }
}

extension PromptTracker {
    /// Takes the next event of the session.
    mutating func news(of hook: HookEvent) -> PromptNews {
        var hook = hook
        hook.setTime(by: &clock)
        let changes = take(hook)
        return PromptNews(
            changes: changes,
            asked: changes.opened ?? prompt(askedBy: hook),
            isWaiting: open.contains(where: \.isWaitedFor)
        )
    }

    fileprivate mutating func news(of signal: PromptSignal, _ event: MonitorEvent) -> PromptNews {
        var signal = signal
        signal.setTime(clock.time(of: event))
        return PromptNews(changes: take(signal), isWaiting: open.contains(where: \.isWaitedFor))
    }
}
