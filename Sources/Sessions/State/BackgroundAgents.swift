internal import EventModel
internal import JSON

/// The agents that work while the main agent's turn is over. The order in which events arrive does not matter.
///
/// An agent works in the background if the last list of background tasks names it, or if it was active after the end of
/// the turn. Agents that were active only during the turn do not count: the CLI does not report the end of an agent
/// that a person interrupted.
struct BackgroundAgents: Sendable, Equatable {
    /// The maximum number of agents kept. The most recently active ones are kept.
    static let maximumAgents = 24
    /// Events of hooks that ran together with the end of the turn may be later by up to this number of seconds.
    private static let slackSeconds = PromptTracker.slackSeconds

    struct Agent: Sendable, Equatable {
        var id: String
        /// The latest event of the agent, other than its end.
        var activeAt: Timestamp?
        var stoppedAt: Timestamp?

        var latest: Timestamp { max(activeAt ?? .distantPast, stoppedAt ?? .distantPast) }
    }

    /// Sorted by id.
    var agents: [Agent] = []
    /// The tasks that ran according to the latest Stop or SubagentStop that lists them.
    var listed: Register<[String]>?
    /// When the session's process last began or ended. Its agents ended before.
    var restartedAt: Timestamp?

    var isEmpty: Bool { agents.isEmpty && listed == nil && restartedAt == nil }

    mutating func take(_ hook: HookEvent) {
        switch hook.name {
        case .sessionStart where !hook.isCompaction: restart(at: hook.time)
        case .sessionEnd: restart(at: hook.time)
        case .stop where hook.agentID == nil: list(hook)
        case .subagentStop:
            guard let id = hook.agentID else { return }
            change(id) { $0.stoppedAt = max($0.stoppedAt ?? hook.time, hook.time) }
            list(hook)
        default:
            guard let id = hook.agentID, !hook.isOfInternalAgent, !hook.isInterruption else { return }
            change(id) { $0.activeAt = max($0.activeAt ?? hook.time, hook.time) }
        }
    }

    /// The number of agents that work after the main agent's turn ended at `end`.
    func count(after end: Timestamp) -> Int {
        let ids = Set(agents.map(\.id)).union(listed?.value ?? [])
        return ids.count { isWorking($0, after: end) }
    }

    private func isWorking(_ id: String, after end: Timestamp) -> Bool {
        let agent = agents.first { $0.id == id }
        let isListed = listed?.value.contains(id) ?? false
        let seen = [agent?.activeAt, isListed ? listed?.order.time : nil].compactMap(\.self).max()
        let ended = [agent?.stoppedAt, restartedAt, isListed ? nil : listed?.order.time].compactMap(\.self).max()
        guard let seen, ended.map({ $0 < seen }) ?? true else { return false }
        return isListed || seen > end.adding(seconds: BackgroundAgents.slackSeconds)
    }

    private mutating func restart(at time: Timestamp) { restartedAt = max(restartedAt ?? time, time) }

    /// An agent that stops may still be in its own list.
    private mutating func list(_ hook: HookEvent) {
        guard let tasks = hook.details.backgroundTasks else { return }
        let order = EventOrder(time: hook.time, id: hook.eventID)
        listed.set(tasks.filter { $0 != hook.agentID }, at: order)
    }

    private mutating func change(_ id: String, _ body: (inout Agent) -> Void) {
        var agent = agents.first { $0.id == id } ?? Agent(id: id)
        body(&agent)
        agents.removeAll { $0.id == id }
        agents.insert(agent, at: agents.firstIndex { id < $0.id } ?? agents.endIndex)
        guard agents.count > BackgroundAgents.maximumAgents else { return }
        let oldest = agents.min { ($0.latest, $0.id) < ($1.latest, $1.id) }
        agents.removeAll { $0.id == oldest?.id }
    }
}

extension HookEvent {
    /// The CLI's internal helpers have an empty type.
    fileprivate var isOfInternalAgent: Bool { committed.event.facts.agentType?.isEmpty ?? false }

    fileprivate var isInterruption: Bool { name == .postToolUseFailure && details.isInterrupt }
}

extension BackgroundAgents {
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("restarted", restartedAt?.microseconds)
        if let listed {
            writer.beginArray("listed")
            writer.integer(listed.order.time.microseconds)
            writer.string(listed.order.id.description)
            for id in listed.value { writer.string(id) }
            writer.endArray()
        }
        if !agents.isEmpty {
            writer.beginArray("agents")
            for agent in agents {
                writer.beginObject()
                writer.field("id", agent.id)
                writer.field("active", agent.activeAt?.microseconds)
                writer.field("stopped", agent.stoppedAt?.microseconds)
                writer.endObject()
            }
            writer.endArray()
        }
        writer.endObject()
    }

    /// Ignores parts that were not written by `write(to:)`.
    init(stored json: JSONValue) {
        restartedAt = json["restarted"]?.timestamp
        if let fields = json["listed"]?.array, fields.count >= 2, let time = fields[0].timestamp,
            let id = fields[1].string.flatMap(EventID.init)
        {
            listed = Register(order: EventOrder(time: time, id: id), value: fields.dropFirst(2).compactMap(\.string))
        }
        agents = (json["agents"]?.array ?? []).compactMap { fields in
            guard let id = fields["id"]?.string else { return nil }
            return Agent(id: id, activeAt: fields["active"]?.timestamp, stoppedAt: fields["stopped"]?.timestamp)
        }
    }
}
