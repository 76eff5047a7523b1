internal import EventModel
internal import Sessions

/// Whether the main agent is working, since when, and when all work of its session has ended.
struct TurnWatch: Sendable, Equatable {
    /// A turn that ended while background work continued.
    struct Held: Sendable, Equatable {
        /// Number of background tasks that are not subagents.
        var work: Int
        var summary: String
    }

    struct Agent: Sendable, Equatable {
        var id: String
        var seenAt: Timestamp
    }

    enum Outcome: Equatable {
        case nothing
        /// `seconds`: `nil` if the start is unknown. Replaces an earlier end of the same turn.
        case finished(seconds: Double?, summary: String)
        case wentOn
    }

    static let maximumAgents = 16
    /// Seconds without events after which a subagent counts as ended and its end event as lost.
    static let agentSeconds = 1800.0
    /// Two ends of a turn within this number of seconds count as one.
    static let repeatSeconds = 10.0
    /// The same after a Stop hook has blocked, because it may block again soon.
    static let blockedRepeatSeconds = 2.0

    var isRunning = false
    /// The start of the running or held turn.
    var startedAt: Timestamp?
    /// When the running turn was last resumed.
    var resumedAt: Timestamp?
    /// The start of the last turn that ended. A Stop hook may continue that turn.
    var endedTurnStartedAt: Timestamp?
    /// Claude's id of the turn that is running or, between turns, of the turn that ended last.
    var turnID: String?
    /// Whether the last Stop event followed a continuation by a Stop hook.
    var endedAfterBlock = false
    /// Whether a Stop hook of this session has continued a turn.
    var isBlocked = false
    var endedAt: Timestamp?
    /// The duration of the last finished turn, in seconds.
    var lastSeconds: Double?
    /// The latest event of the main agent.
    var activeAt: Timestamp?
    var held: Held?
    var agents: [Agent] = []

    mutating func take(_ hook: HookEvent) -> Outcome {
        if let agent = hook.agentID { return takeAgent(agent, hook) }
        switch hook.name {
        case .userPromptSubmit: return prompted(hook)
        case .preToolUse, .permissionRequest: return worked(hook)
        case .postToolUse, .postToolUseFailure, .permissionDenied, .postToolBatch:
            activeAt = max(activeAt ?? hook.time, hook.time)
            if hook.details.isInterrupt { stopped(at: hook.time) }
            return .nothing
        case .stop: return stop(hook)
        case .stopFailure:
            guard !isLate(hook) else { return .nothing }
            stopped(at: hook.time)
            return .nothing
        case .sessionEnd: ended(at: hook.time)
        case .sessionStart:
            if !hook.isCompaction { reset(at: hook.time) }
        default: break
        }
        return .nothing
    }

    /// Records that a person ended the turn. A transcript may report this when the next turn is already running.
    mutating func interrupted(at time: Timestamp) {
        guard startedAt.map({ $0 <= time }) ?? true else { return }
        stopped(at: time)
    }

    /// Records that the session has ended.
    mutating func ended(at time: Timestamp) { reset(at: time) }

    /// Number of subagents that are assumed to be working at `time`.
    func runningAgents(at time: Timestamp) -> Int {
        agents.count { $0.seenAt.adding(seconds: TurnWatch.agentSeconds) >= time }
    }

    private mutating func prompted(_ hook: HookEvent) -> Outcome {
        guard endedAt.map({ $0 <= hook.time }) ?? true else { return .nothing }
        // A prompt injected by Claude continues the held turn; a person's prompt starts a new one.
        if !(hook.isInjectedPrompt && startedAt != nil) {
            startedAt = hook.time
            endedTurnStartedAt = nil
            turnID = hook.details.turnID
        }
        return goOn(hook)
    }

    private mutating func worked(_ hook: HookEvent) -> Outcome {
        // Events of hooks that ran before the end may arrive after it.
        if let endedAt, hook.time <= endedAt.adding(seconds: PromptTracker.slackSeconds) { return .nothing }
        if !isRunning, held == nil { startedAt = endedTurn(goingOnWith: hook) }
        startedAt = startedAt ?? hook.time
        turnID = hook.details.turnID ?? turnID
        return goOn(hook)
    }

    /// The start of the last turn that ended, if the event belongs to it because a Stop hook continued it. If the
    /// event belongs to another turn, the stored start is cleared.
    private mutating func endedTurn(goingOnWith hook: HookEvent) -> Timestamp? {
        guard let turnID, let other = hook.details.turnID else {
            return hook.details.isStopHookActive ? endedTurnStartedAt : nil
        }
        if turnID != other { endedTurnStartedAt = nil }
        return endedTurnStartedAt
    }

    private mutating func goOn(_ hook: HookEvent) -> Outcome {
        let wasRunning = isRunning
        isRunning = true
        if !wasRunning { resumedAt = hook.time }
        held = nil
        activeAt = max(activeAt ?? hook.time, hook.time)
        return wasRunning ? .nothing : .wentOn
    }

    private mutating func stop(_ hook: HookEvent) -> Outcome {
        guard !isLate(hook) else { return .nothing }
        if !isRunning, let endedAt {
            let isFirstAfterBlock = hook.details.isStopHookActive && !endedAfterBlock && hook.time > endedAt
            let window = hook.details.isStopHookActive ? TurnWatch.blockedRepeatSeconds : TurnWatch.repeatSeconds
            let isRepeated = hook.time.seconds(since: endedAt) < window
            if isRepeated, !isFirstAfterBlock { return .nothing }
        }
        startedAt = endedTurn(goingOnWith: hook) ?? startedAt
        isRunning = false
        endedAfterBlock = hook.details.isStopHookActive
        isBlocked = isBlocked || hook.details.isStopHookActive
        turnID = hook.details.turnID ?? turnID
        endedAt = hook.time
        activeAt = max(activeAt ?? hook.time, hook.time)
        let tasks = hook.details.backgroundTasks
        if tasks?.isEmpty ?? false { agents.removeAll() }
        let work = max(0, (tasks?.count ?? 0) - agents.count)
        if work > 0 || runningAgents(at: hook.time) > 0 {
            held = Held(work: work, summary: hook.summary)
            return .nothing
        }
        return finish(at: hook.time, hook.summary)
    }

    private mutating func takeAgent(_ agent: String, _ hook: HookEvent) -> Outcome {
        guard hook.name == .subagentStop else {
            seen(agent, hook)
            return .nothing
        }
        let wasKnown = agents.contains { $0.id == agent }
        agents.removeAll { $0.id == agent }
        guard var held else { return .nothing }
        if !wasKnown { held.work = max(0, held.work - 1) }
        self.held = held
        guard held.work == 0, runningAgents(at: hook.time) == 0 else { return .nothing }
        return finish(at: hook.time, held.summary)
    }

    /// A subagent is working from its start. Its other events only show that it still is.
    private mutating func seen(_ agent: String, _ hook: HookEvent) {
        if let index = agents.firstIndex(where: { $0.id == agent }) {
            agents[index].seenAt = max(agents[index].seenAt, hook.time)
        } else if hook.name == .subagentStart {
            agents.append(Agent(id: agent, seenAt: hook.time))
            if agents.count > TurnWatch.maximumAgents { agents.removeFirst() }
        }
    }

    private mutating func finish(at time: Timestamp, _ summary: String) -> Outcome {
        let seconds = startedAt.map { max(0, time.seconds(since: $0)) }
        endedTurnStartedAt = startedAt
        startedAt = nil
        held = nil
        lastSeconds = seconds
        return .finished(seconds: seconds, summary: summary)
    }

    /// Whether the event is the end of a turn before the running one.
    private func isLate(_ hook: HookEvent) -> Bool {
        guard isRunning, let began = [startedAt, resumedAt].compactMap(\.self).max() else { return false }
        return hook.time < began
    }

    /// Stops without a notice.
    private mutating func stopped(at time: Timestamp) {
        isRunning = false
        startedAt = nil
        endedTurnStartedAt = nil
        turnID = nil
        held = nil
        lastSeconds = nil
        endedAt = max(endedAt ?? time, time)
        activeAt = max(activeAt ?? time, time)
    }

    private mutating func reset(at time: Timestamp) {
        stopped(at: time)
        agents.removeAll()
    }
}
