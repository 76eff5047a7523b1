package import EventModel

/// The open prompts of one session, derived from its events in log order.
///
/// Hooks run in parallel, and a refusal in the terminal runs no hook. A prompt therefore ends with its tool's result or
/// with the next action of its agent, and an event may arrive after the event that makes it obsolete. The sender's
/// times decide the order where possible; `slackSeconds` allows for events that were stamped on arrival.
package struct PromptTracker: Sendable, Equatable {
    package static let maximumPrompts = 16
    static let maximumSettling = 8
    static let maximumCalls = 16
    static let maximumMarks = 16
    /// Events of hooks that ran together arrive within this number of seconds.
    package static let slackSeconds = 1.0
    /// If a request arrives twice, both arrive within this number of seconds.
    static let repeatSeconds = 2.0
    /// A dialog's notification follows 6 s after the dialog. If it arrives within this time after an answer, it
    /// concerns the answered dialog.
    static let dialogDelaySeconds = 5.0
    /// If a tool starts within this time after its request, a rule allowed the request.
    static let ruleSeconds = 1.5
    /// After this time without activity of its agent, a turn may have been interrupted. An interruption runs no hook.
    static let busySeconds = 30.0

    /// The open prompts in the log order of their opening events, at most `maximumPrompts`.
    package internal(set) var open: [Prompt] = []
    /// Prompts that a device or the operator answered, as long as it is not known whether Claude Code acted on the
    /// answer. At most `maximumSettling`.
    package internal(set) var settling: [Prompt] = []
    /// The caller sets the time of each event that the tracker takes by this clock.
    package var clock = SessionClock()
    var calls: [SeenCall] = []
    var marks: [AgentMark] = []
    /// When a prompt of a tool call was last answered.
    var answeredAt: Timestamp?
    /// When a prompt last ended in a way that no hook event reports: a device answered it, or its waiting hook reported
    /// the end. On the server's clock.
    var decidedAt: Timestamp?
    /// The smallest number of seconds between the time of a hook on the machine's clock and its receipt on the server's
    /// clock. It converts `decidedAt` to the machine's clock. Negative if the machine's clock is ahead.
    var receiptSeconds: Double?
    /// The latest end of a prompt that the session waited for, and the source that reported it.
    var lastEnd: End?
    var elicitedAt: Timestamp?
    var sessionEndedAt: Timestamp?
    /// When the main agent was last active, and when its turn last ended.
    var activeAt: Timestamp?
    var stoppedAt: Timestamp?
    /// Whether this session's Claude Code sends notifications of dialogs.
    package internal(set) var announcesDialogs = false
    /// Whether a rule allowed the latest request whose result is known.
    package internal(set) var isAutomatic = false

    struct End: Sendable, Equatable {
        var time: Timestamp
        var source: Session.StateSource
        /// Whether the time is on the server's clock.
        var isByServer: Bool
    }

    package init() {}

    mutating func note(_ end: End) {
        if lastEnd.map({ $0.time < end.time }) ?? true { lastEnd = end }
    }

    /// A hook that arrives after an end also happened after it, even if the server's clock is ahead of the machine's.
    mutating func goOn(at time: Timestamp) {
        if let end = lastEnd, end.isByServer, end.time > time { lastEnd?.time = time }
    }

    /// Processes an event whose time was set by `clock`. Must be called once for each event, in log order.
    ///
    /// - Returns: the answers that it settled, the prompts that it ended, the prompts that it confirmed, then a prompt
    ///   displaced by the limit, then the prompt that it opened.
    package mutating func take(_ hook: HookEvent) -> [PromptChange] {
        guard hook.concernsPrompts else { return [] }
        var changes = settle(hook).map(PromptChange.updated) + close(hook).map(PromptChange.closed)
        changes += confirmed(by: hook).map(PromptChange.confirmed)
        guard let prompt = prompt(openedBy: hook) else { return changes }
        open.append(prompt)
        if open.count > PromptTracker.maximumPrompts {
            changes.append(.closed(open.removeFirst().closed(.overtaken, at: hook.time, evidence: nil)))
        }
        changes.append(.opened(prompt))
        return changes
    }

    /// The open prompt of a permission request: the one that the request opened or repeated.
    package func prompt(askedBy request: HookEvent) -> Prompt? {
        guard request.name == .permissionRequest else { return nil }
        return open.last { $0.openedBy == request.eventID || $0.requestedBy == request.eventID }
            ?? open.last { $0.source == .call && $0.call == request.call }
    }

    /// When the call with this id started, if its start was seen.
    package func start(ofCall toolUseID: String) -> Timestamp? {
        calls.last { $0.toolUseID == toolUseID }?.startedAt
    }

    /// The event reports that a dialog is shown, but not for which request. Returns all open requests that are not
    /// later than the event.
    private mutating func confirmed(by hook: HookEvent) -> [Prompt] {
        guard hook.name == .notification, hook.detail == "permission_prompt" else { return [] }
        announcesDialogs = true
        return open.filter { $0.source == .call && $0.kind == .permission && $0.openedAt < hook.time }
    }

    /// The agent's last boundary, or the end of its session.
    func mark(of agentID: String?) -> AgentMark? {
        let own = marks.first { $0.agentID == agentID ?? "" }
        guard let sessionEndedAt, sessionEndedAt >= own?.at ?? .distantPast else { return own }
        return AgentMark(agentID: agentID ?? "", at: sessionEndedAt)
    }

    /// Whether the main agent's turn is running.
    func isBusy(at time: Timestamp) -> Bool {
        guard let activeAt, activeAt > stoppedAt ?? .distantPast else { return false }
        return activeAt.adding(seconds: PromptTracker.busySeconds) >= time
    }
}

extension HookEvent {
    /// Whether a tracker must process the event.
    package var concernsPrompts: Bool {
        switch name {
        case .preToolUse, .postToolUse, .postToolUseFailure, .postToolBatch, .notification, .userPromptSubmit,
            .sessionStart, .sessionEnd, .stop, .stopFailure, .permissionRequest, .permissionDenied, .elicitation,
            .elicitationResult:
            true
        case .subagentStop: !isInternal
        default: false
        }
    }
}
