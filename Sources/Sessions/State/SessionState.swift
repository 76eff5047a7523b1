package import EventModel

/// A session's state as a fold over its events.
///
/// The result does not depend on the order in which events arrive: every part is a sum, a minimum, a maximum, or a
/// register ordered by the sender's clock. Only the prompts (`PromptTracker`) and the detection of a wrong clock of the
/// server (`SessionClock`) depend on log order.
package struct SessionState: Sendable, Equatable {
    struct Machine: Sendable, Equatable {
        var id: MachineID
        var name: String
        var reportedName: String?
    }

    /// US dollars. A larger sum is meaningless and must not become infinite.
    static let maximumCost = 1e12
    /// Lines of a transcript that arrive so many seconds after they were written were imported.
    static let importedSeconds = 86_400.0

    package let id: String
    var machine: Register<Machine>?
    var project: Register<String>?
    var startedAt: Timestamp?
    var lastActivityAt: Timestamp?
    /// Set by events of the main agent only.
    var activity = ActivityHistory()
    var background = BackgroundAgents()
    var reported = ReportedHooks()
    var end: Register<String>?
    /// The process was found to have gone.
    var gone: Register<Bool>?
    /// The latest event that only a live session sends.
    var alive: Register<Bool>?
    /// The latest lines of a transcript that were old when they arrived.
    var imported: Register<Bool>?
    package internal(set) var prompts = PromptTracker()
    var repeats = RepeatWatch()
    /// What hooks have reported.
    var messageCount: Int64 = 0
    var toolCallCount: Int64 = 0
    /// What transcripts contain. They report what hooks report, too, so the larger count is shown.
    var writtenMessages: Int64 = 0
    var writtenToolCalls: Int64 = 0
    var tokenUsage = TokenUsage()
    var totalCost: Double?
    var model: Register<String>?
    var permissionMode: Register<String>?
    var title = SessionTitle()
    var isPinned: Register<Bool>?
    var isArchived: Register<Bool>?
    var runner: Register<Session.Runner>?
    var continues: Register<String>?
    var continuedBy: Register<String>?
    var isParked: Register<Bool>?
    var gitBranch: Register<String>?
    package internal(set) var lastSeq: Int64 = 0

    package init(id: String) {
        self.id = id
    }

    /// Applies an event. Must be called once for each event, in log order. Ignores `committed.workspaceID`, because the
    /// state determines the workspace itself.
    @discardableResult
    package mutating func apply(_ committed: CommittedEvent) -> [PromptChange] {
        let order = EventOrder(time: prompts.clock.time(of: committed.event), id: committed.event.id)
        let changes = fold(committed, at: order)
        noteEnds(in: changes, by: committed.event, at: order)
        return changes
    }

    private mutating func fold(_ committed: CommittedEvent, at order: EventOrder) -> [PromptChange] {
        let event = committed.event
        lastSeq = max(lastSeq, committed.seq)
        var signal = PromptSignal(committed)
        signal?.setTime(order.time)
        if let signal, event.facts.report == nil { return apply(signal, of: event, at: order) }
        if let change = SessionChange(event) { apply(change, of: event, at: order) }
        if event.hookEventName == nil, EventType.ofServer.contains(event.type) { return [] }
        if let report = event.facts.report {
            apply(report, of: event, at: order)
            return signal.map { prompts.take($0) } ?? []
        }
        let machineNow = Machine(id: event.machine, name: event.machineName, reportedName: event.reportedMachineName)
        machine.set(machineNow, at: order)
        // The writer decides by the same order which workspace the events belong to.
        if let path = event.projectPath { project.setFirst(path, at: event.order) }
        startedAt = min(startedAt ?? order.time, order.time)
        let hook = HookEvent(committed, at: order.time)
        if hook?.isInternal ?? false { return [] }

        lastActivityAt = max(lastActivityAt ?? event.activityTime, event.activityTime)
        let isRepeated = hook.map { reported.wasReported($0) } ?? false
        applyFacts(event.facts, at: order, isRepeated: isRepeated)
        guard let hook else { return [] }
        if !isRepeated { applyCounts(hook, at: order) }
        applyLife(hook, at: order)
        repeats.take(hook)
        return takePrompts(hook)
    }

    /// Telemetry and transcripts show that a session is alive, but not what it does.
    ///
    /// A session is stored only after its first activity. Earlier reports are ignored, because a restart would lose
    /// them.
    private mutating func apply(_ report: SessionReport, of event: MonitorEvent, at order: EventOrder) {
        guard report.isActivity || startedAt != nil else { return }
        if let model = event.facts.model { self.model.set(model, at: order) }
        // Events of earlier versions do not say who gave the title.
        if let title = event.facts.title, !title.isEmpty { self.title.client.set(title, at: order) }
        title.take(report.names)
        if let mode = event.facts.permissionMode { permissionMode.set(mode, at: order) }
        if let branch = report.gitBranch { gitBranch.set(branch, at: order) }
        guard report.isActivity else { return }
        machine.set(
            Machine(id: event.machine, name: event.machineName, reportedName: event.reportedMachineName),
            at: order
        )
        if let path = event.projectPath { project.setFirst(path, at: event.order) }
        let first = min(report.since ?? order.time, order.time)
        startedAt = min(startedAt ?? first, first)
        lastActivityAt = max(lastActivityAt ?? event.activityTime, event.activityTime)
        writtenMessages += report.messages
        writtenToolCalls += report.toolCalls
        let delay = event.receivedAt.seconds(since: event.activityTime)
        if event.type == .transcript, delay >= SessionState.importedSeconds { imported.set(true, at: order) }
    }

    /// Events that the server itself creates do not count as activity of the session.
    private mutating func apply(
        _ signal: PromptSignal,
        of event: MonitorEvent,
        at order: EventOrder
    ) -> [PromptChange] {
        switch signal {
        case .interrupted: activity.set(.idle, from: event.evidence, at: order)
        case .gone: if startedAt != nil { gone.set(true, at: order) }
        case .update, .refused: break
        }
        let changes = prompts.take(signal)
        // The terminal overruled an answer that was still on its way.
        if case .update(let update) = signal, update.step == .withdrawn {
            for case .updated(let prompt) in changes { turnMayHaveEnded(by: event, at: order, after: prompt) }
        }
        return changes
    }

    private mutating func takePrompts(_ hook: HookEvent) -> [PromptChange] {
        var changes = prompts.take(hook)
        // Set here and not in the hub, because it needs a hash that few events require.
        if changes.opened != nil, let place = prompts.open.indices.last {
            prompts.open[place].workspaceID = workspaceID
            changes[changes.count - 1] = .opened(prompts.open[place])
        }
        return changes
    }

    private mutating func applyFacts(_ facts: SessionFacts, at order: EventOrder, isRepeated: Bool) {
        if let model = facts.model { self.model.set(model, at: order) }
        if let title = facts.title, !title.isEmpty { self.title.person.set(title, at: order) }
        if let mode = facts.permissionMode, facts.agentID == nil { permissionMode.set(mode, at: order) }
        guard !isRepeated else { return }
        if let usage = facts.usage { tokenUsage = tokenUsage + usage }
        if let cost = facts.costUSD { totalCost = min((totalCost ?? 0) + cost, SessionState.maximumCost) }
    }

    private mutating func applyCounts(_ hook: HookEvent, at order: EventOrder) {
        switch hook.name {
        case .userPromptSubmit:
            if !hook.isInjectedPrompt {
                messageCount += 1
                if isArchived != nil { isArchived.set(false, at: order) }
                // Without content, the summary is the name of the hook.
                if hook.summary != hook.name.rawValue { title.prompt.setFirst(hook.summary, at: order) }
            }
        case .stop: messageCount += 1
        case .postToolUse, .postToolUseFailure: toolCallCount += 1
        default: break
        }
    }

    private mutating func applyLife(_ hook: HookEvent, at order: EventOrder) {
        switch hook.name {
        case .sessionEnd: end.set(hook.detail ?? "other", at: order)
        case .sessionStart, .userPromptSubmit, .preToolUse, .permissionRequest: alive.set(true, at: order)
        default: break
        }
        background.take(hook)
        if hook.agentID == nil, !hook.isOfRequestedCall, let state = Session.State(after: hook) {
            activity.set(state, from: .hooks, at: order)
        }
    }

    private mutating func noteEnds(in changes: [PromptChange], by event: MonitorEvent, at order: EventOrder) {
        if event.hookEventName != nil { prompts.goOn(at: order.time) }
        for case .closed(let prompt) in changes where prompt.source != .idle {
            let isByServer = EventType.ofPrompts.contains(event.type)
            prompts.note(.init(time: order.time, source: event.evidence, isByServer: isByServer))
            if event.hookEventName == nil { turnMayHaveEnded(by: event, at: order, after: prompt) }
        }
    }

    /// A person who refuses the main agent's call at the terminal ends its turn. No hook reports the refusal or the
    /// end.
    private mutating func turnMayHaveEnded(by event: MonitorEvent, at order: EventOrder, after prompt: Prompt) {
        guard prompt.agentID == nil, prompt.isRefusedAtTerminal else { return }
        var order = order
        // The time comes from the server's clock. The end follows every event already seen on the machine's clock and
        // precedes the next one.
        if event.evidence == .hooks {
            guard let latest = activity.latest, latest.value.state == .running else { return }
            order.time = Timestamp(microseconds: latest.order.time.microseconds + 1)
        }
        activity.set(.idle, from: event.evidence, at: order)
    }
}

extension MonitorEvent {
    /// The kind of evidence that the event gives for a session's state.
    fileprivate var evidence: Session.StateSource {
        switch type {
        case .telemetry: .otel
        case .transcript: .transcript
        case .sessionInterrupted:
            facts.detail.map { $0 == MonitorEvent.idleByRegistry ? .heartbeat : .transcript } ?? .hooks
        case .sessionGone: .heartbeat
        default: .hooks
        }
    }

    /// The `detail` of a `session_interrupted` event that follows from the client's own report that it is idle.
    package static let idleByRegistry = "idle"

    /// The `detail` of a `session_interrupted` event that follows from the transcript's line
    /// `[Request interrupted by user for tool use]`.
    package static let interruptedForTool = "interrupted_tool"
}

extension Session.State {
    /// Returns `nil` for events that do not show whether the main agent works. A compaction does not: a person may
    /// start it between turns, and no hook reports that it was interrupted.
    fileprivate init?(after hook: HookEvent) {
        switch hook.name {
        case .userPromptSubmit, .userPromptExpansion, .preToolUse, .postToolUse, .postToolUseFailure, .postToolBatch,
            .permissionRequest, .permissionDenied, .preSkillShellCommand, .elicitation, .elicitationResult:
            self = .running
        case .stop, .sessionEnd: self = .idle
        case .stopFailure: self = .error
        case .sessionStart:
            if hook.isCompaction { return nil }
            self = .idle
        default: return nil
        }
    }
}
