/// A session's state as a fold over its events that does not depend on the order in which they arrive: every part is a
/// sum, a least or greatest time, or a register that the sender's clock decides.
public struct SessionFold: Sendable, Equatable {
    struct Machine: Sendable, Equatable {
        var id: MachineID
        var name: String
        var reportedName: String?
    }

    /// US dollars; a sum beyond it says nothing and must not become infinite.
    static let maximumCost = 1e12

    public let id: String
    var machine: Register<Machine>?
    var project: Register<String>?
    var startedAt: Timestamp?
    var lastActivityAt: Timestamp?
    /// Set by events of the main agent only: a background agent at work does not make its session busy.
    var activity: Register<Session.State>?
    var end: Register<String>?
    /// The latest event that only a living session sends.
    var alive: Register<Bool>?
    /// A notification that asks for a person without naming a tool; holds until the main agent goes on or a tool call
    /// of any agent is over.
    var prompted: Register<Session.WaitingFor.Kind>?
    /// The latest end of a tool call of any agent.
    var answered: Register<Bool>?
    var requests = OpenRequests()
    var messageCount: Int64 = 0
    var toolCallCount: Int64 = 0
    var tokenUsage = TokenUsage()
    var totalCost: Double?
    var model: Register<String>?
    var permissionMode: Register<String>?
    var title: Register<String>?
    var firstPrompt: Register<String>?
    public internal(set) var lastSeq: Int64 = 0

    public init(id: String) {
        self.id = id
    }

    /// Each event must be applied once.
    public mutating func apply(_ event: MonitorEvent, seq: Int64) {
        lastSeq = max(lastSeq, seq)
        let order = event.order
        let machineNow = Machine(id: event.machine, name: event.machineName, reportedName: event.reportedMachineName)
        machine.set(machineNow, at: order)
        if let path = event.projectPath { project.setFirst(path, at: order) }
        startedAt = min(startedAt ?? order.time, order.time)
        guard !event.isInternal else { return }

        // A machine whose clock is ahead must not look busy for ever.
        let activityTime = min(event.timestamp, event.receivedAt)
        lastActivityAt = max(lastActivityAt ?? activityTime, activityTime)
        applyFacts(event.facts, at: order)
        applyCounts(event)
        applyLife(event, at: order)
        requests.apply(event)
    }

    private mutating func applyFacts(_ facts: SessionFacts, at order: EventOrder) {
        if let model = facts.model { self.model.set(model, at: order) }
        if let title = facts.title, !title.isEmpty { self.title.set(title, at: order) }
        if let mode = facts.permissionMode, facts.agentID == nil { permissionMode.set(mode, at: order) }
        if let usage = facts.usage { tokenUsage = tokenUsage + usage }
        if let cost = facts.costUSD { totalCost = min((totalCost ?? 0) + cost, SessionFold.maximumCost) }
    }

    private mutating func applyCounts(_ event: MonitorEvent) {
        switch event.hookEventName?.known {
        case .userPromptSubmit:
            if !event.facts.promptIsInjected {
                messageCount += 1
                firstPrompt.setFirst(event.summary, at: event.order)
            }
        case .stop: messageCount += 1
        case .postToolUse, .postToolUseFailure: toolCallCount += 1
        default: break
        }
    }

    private mutating func applyLife(_ event: MonitorEvent, at order: EventOrder) {
        guard let name = event.hookEventName?.known else { return }
        switch name {
        case .sessionEnd: end.set(event.facts.detail ?? "other", at: order)
        case .sessionStart, .userPromptSubmit, .preToolUse, .permissionRequest: alive.set(true, at: order)
        default: break
        }
        if name.endsToolCall { answered.set(true, at: order) }
        if name == .notification {
            if let kind = Session.WaitingFor.Kind(notificationType: event.facts.detail) {
                prompted.set(kind, at: order)
            }
        } else if event.facts.agentID == nil, let state = Session.State(after: name, detail: event.facts.detail) {
            activity.set(state, at: order)
        }
    }
}

extension SessionFold {
    public var machineID: MachineID? { machine?.value.id }
    public var projectPath: String? { project?.value }

    public var workspaceID: String? {
        guard let machine, let project else { return nil }
        return WorkspaceID.make(machine: machine.value.id, path: project.value)
    }

    /// `nil` while only internal events were seen of which no machine can be told.
    public var session: Session? {
        guard let machine, let startedAt else { return nil }
        let ended = end.flatMap { end in alive.map { $0.order < end.order } ?? true ? end : nil }
        let waitingFor = ended == nil ? waitingFor : nil
        let settled: Session.State = ended == nil ? activity?.value ?? .idle : .idle
        return Session(
            id: id,
            machine: machine.value.id,
            machineName: machine.value.name,
            reportedMachineName: machine.value.reportedName,
            workspaceID: workspaceID,
            projectPath: project?.value,
            state: waitingFor == nil ? settled : .waiting,
            waitingFor: waitingFor,
            startedAt: startedAt,
            lastActivityAt: lastActivityAt ?? startedAt,
            endedAt: ended?.order.time,
            endReason: ended?.value,
            messageCount: messageCount,
            toolCallCount: toolCallCount,
            tokenUsage: tokenUsage,
            totalCost: totalCost,
            currentModel: model?.value,
            permissionMode: permissionMode?.value,
            title: title?.value ?? firstPrompt?.value,
            lastSeq: lastSeq
        )
    }

    private var waitingFor: Session.WaitingFor? {
        if let call = requests.oldest, let since = call.requestedAt {
            return Session.WaitingFor(
                kind: call.kind,
                toolName: call.key.toolName,
                toolUseID: call.toolUseID,
                since: since
            )
        }
        guard let prompted, prompted.order > max(activity?.order, answered?.order) else { return nil }
        return Session.WaitingFor(kind: prompted.value, since: prompted.order.time)
    }
}
