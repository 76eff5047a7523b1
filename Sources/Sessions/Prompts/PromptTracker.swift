public import EventModel

/// The open prompts of one session, told from its events in the order of the log.
///
/// Hooks run in parallel and a "no" in the terminal fires none. So a prompt ends by its tool's result or by what its
/// agent does next, and an event may come after the one that makes it void. The sender's times tell where they can;
/// where an event was stamped on arrival, `slackSeconds` allow for it.
public struct PromptTracker: Sendable, Equatable {
    public static let maximumPrompts = 16
    static let maximumCalls = 16
    static let maximumMarks = 16
    /// Events of hooks that ran together arrive within so many seconds.
    public static let slackSeconds = 1.0
    /// One request that arrives twice arrives within so many seconds.
    static let repeatSeconds = 2.0
    /// The notification of a dialog follows the dialog after 6 s: sooner after an answer, it is about what was
    /// answered.
    static let dialogDelaySeconds = 5.0
    /// A tool that begins sooner after its request was allowed by a rule.
    static let ruleSeconds = 1.5
    /// A turn whose agent was quiet for longer may have been interrupted, which fires no hook.
    static let busySeconds = 30.0

    /// In the order of their opening events in the log, at most `maximumPrompts`.
    public internal(set) var open: [Prompt] = []
    var calls: [SeenCall] = []
    var marks: [AgentMark] = []
    /// When a prompt of a tool call was last answered.
    var answeredAt: Timestamp?
    var elicitedAt: Timestamp?
    var sessionEndedAt: Timestamp?
    /// When the main agent was last seen at work, and when its turn last ended.
    var activeAt: Timestamp?
    var stoppedAt: Timestamp?
    /// This session's Claude Code has told of a dialog by a notification before.
    public internal(set) var announcesDialogs = false
    /// The latest request that came to its result was allowed by a rule.
    public internal(set) var isAutomatic = false

    public init() {}

    /// To be called once for each of the session's events, in the order of the log.
    ///
    /// - Returns: prompts that the event ended, then those it confirmed, then one pushed out by the bound, then the one
    ///   it opened.
    public mutating func take(_ hook: HookEvent) -> [PromptChange] {
        guard hook.concernsPrompts else { return [] }
        var changes = close(hook).map(PromptChange.closed)
        changes += confirmed(by: hook).map(PromptChange.confirmed)
        guard let prompt = prompt(openedBy: hook) else { return changes }
        open.append(prompt)
        if open.count > PromptTracker.maximumPrompts {
            changes.append(.closed(open.removeFirst().closed(.overtaken, at: hook.time, evidence: nil)))
        }
        changes.append(.opened(prompt))
        return changes
    }

    /// The open prompt that a permission request asks with: the one it opened, or the one it repeats.
    public func prompt(askedBy request: HookEvent) -> Prompt? {
        guard request.name == .permissionRequest else { return nil }
        return open.last { $0.openedBy == request.eventID }
            ?? open.last { $0.source == .call && $0.call == request.call }
    }

    /// When the call with this id began, if it was seen.
    public func start(ofCall toolUseID: String) -> Timestamp? {
        calls.last { $0.toolUseID == toolUseID }?.startedAt
    }

    /// The open requests of which one stands before a person, as the event shows: not those that were made later.
    private mutating func confirmed(by hook: HookEvent) -> [Prompt] {
        guard hook.name == .notification, hook.detail == "permission_prompt" else { return [] }
        announcesDialogs = true
        return open.filter { $0.source == .call && $0.kind == .permission && $0.openedAt < hook.time }
    }

    /// The latest boundary of the agent, or the end of its session.
    func mark(of agentID: String?) -> AgentMark? {
        let own = marks.first { $0.agentID == agentID ?? "" }
        guard let sessionEndedAt, sessionEndedAt >= own?.at ?? .distantPast else { return own }
        return AgentMark(agentID: agentID ?? "", at: sessionEndedAt)
    }

    /// The main agent's turn runs.
    func isBusy(at time: Timestamp) -> Bool {
        guard let activeAt, activeAt > stoppedAt ?? .distantPast else { return false }
        return activeAt.adding(seconds: PromptTracker.busySeconds) >= time
    }
}

extension HookEvent {
    /// Whether a tracker has to see it.
    public var concernsPrompts: Bool {
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
