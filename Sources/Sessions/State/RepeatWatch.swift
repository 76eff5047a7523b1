internal import EventModel
package import JSON

/// Detects an agent that repeats a call that fails in the same way. Failures are ordered by the sender's clock, so the
/// order of arrival does not matter.
package struct RepeatWatch: Sendable, Equatable {
    /// The number of equal failures in a row that count as a loop.
    package static let leastFailures = 3
    /// The maximum number of failures kept for each agent, and therefore the highest `count` of a loop.
    static let mostFailures = 20
    /// The maximum number of agents that are watched. The most recent ones are kept.
    static let mostAgents = 8

    /// A call that failed: the tool, its input and its error.
    struct Failure: Sendable, Equatable {
        var order: EventOrder
        var tool: String
        var input: UInt64
        var error: UInt64
        /// Claude's id of the call. Two reports with the same id are one failure.
        var callID: String?

        func isSame(as other: Failure) -> Bool {
            (tool, input, error) == (other.tool, other.input, other.error)
        }
    }

    struct Agent: Sendable, Equatable {
        /// Empty for the main agent.
        var id: String
        /// When the agent last made progress.
        var wentOn: EventOrder?
        /// The failures since `wentOn`, sorted by time.
        var failures: [Failure] = []

        var latest: EventOrder? { failures.last?.order ?? wentOn }
    }

    /// Sorted by id.
    private(set) var agents: [Agent] = []
    /// When a person last spoke, or the session last began or ended. This counts as progress of all agents.
    private(set) var restart: EventOrder?

    package init() {}

    package var isEmpty: Bool { agents.isEmpty && restart == nil }

    package mutating func take(_ hook: HookEvent) {
        let order = EventOrder(time: hook.time, id: hook.eventID)
        switch hook.name {
        case .postToolUseFailure:
            guard let error = hook.committed.event.facts.errorHash else { return }
            let failure = Failure(
                order: order,
                tool: hook.toolName ?? "",
                input: hook.inputHash ?? 0,
                error: error,
                callID: hook.toolUseID
            )
            change(hook.agentID) { $0.add(failure) }
        case .postToolUse, .stop, .stopFailure: change(hook.agentID) { $0.goOn(at: order) }
        case .userPromptSubmit where !hook.isInjectedPrompt: goOn(at: order)
        case .sessionStart where !hook.isCompaction: goOn(at: order)
        case .sessionEnd: goOn(at: order)
        default: break
        }
    }

    private mutating func change(_ id: String?, _ body: (inout Agent) -> Void) {
        let id = id ?? ""
        var agent = agents.first { $0.id == id } ?? Agent(id: id)
        body(&agent)
        if let restart { agent.drop(before: restart) }
        agents.removeAll { $0.id == id }
        agents.insert(agent, at: agents.firstIndex { id < $0.id } ?? agents.endIndex)
        guard agents.count > RepeatWatch.mostAgents else { return }
        let oldest = agents.min { left, right in
            guard let newer = right.latest else { return false }
            return left.latest.map { $0 < newer } ?? true
        }
        agents.removeAll { $0.id == oldest?.id }
    }

    private mutating func goOn(at order: EventOrder) {
        restart = max(restart ?? order, order)
        for index in agents.indices { agents[index].drop(before: order) }
    }

    /// The longest loop of any agent.
    package var loop: Session.Loop? {
        var longest: Session.Loop?
        for agent in agents {
            guard let last = agent.failures.last else { continue }
            let run = agent.failures.reversed().prefix { $0.isSame(as: last) }
            guard run.count >= RepeatWatch.leastFailures, run.count > longest?.count ?? 0, let first = run.last else {
                continue
            }
            longest = Session.Loop(
                toolName: last.tool,
                agentID: agent.id.isEmpty ? nil : agent.id,
                count: run.count,
                since: first.order.time
            )
        }
        return longest
    }
}

extension RepeatWatch.Agent {
    fileprivate mutating func add(_ failure: RepeatWatch.Failure) {
        if let wentOn, failure.order <= wentOn { return }
        let isKnown = failures.contains {
            $0.order == failure.order || ($0.callID != nil && $0.callID == failure.callID)
        }
        guard !isKnown else { return }
        failures.insert(failure, at: failures.firstIndex { failure.order < $0.order } ?? failures.endIndex)
        if failures.count > RepeatWatch.mostFailures { failures.removeFirst() }
    }

    fileprivate mutating func goOn(at order: EventOrder) {
        wentOn = max(wentOn ?? order, order)
        drop(before: order)
    }

    fileprivate mutating func drop(before order: EventOrder) { failures.removeAll { $0.order < order } }
}

extension RepeatWatch {
    package func write(to writer: inout JSONWriter) {
        writer.beginArray()
        RepeatWatch.write(restart, to: &writer)
        for agent in agents {
            writer.beginArray()
            writer.string(agent.id)
            RepeatWatch.write(agent.wentOn, to: &writer)
            for failure in agent.failures {
                writer.beginArray()
                RepeatWatch.write(failure.order, to: &writer)
                writer.string(failure.tool)
                writer.string(String(failure.input, radix: 16))
                writer.string(String(failure.error, radix: 16))
                if let callID = failure.callID { writer.string(callID) }
                writer.endArray()
            }
            writer.endArray()
        }
        writer.endArray()
    }

    private static func write(_ order: EventOrder?, to writer: inout JSONWriter) {
        writer.beginArray()
        if let order {
            writer.integer(order.time.microseconds)
            writer.string(order.id.description)
        }
        writer.endArray()
    }

    /// Ignores parts that were not written by `write`.
    package init(stored json: JSONValue) {
        let fields = json.array ?? []
        restart = fields.first.flatMap(RepeatWatch.order)
        agents = fields.dropFirst().compactMap { element in
            guard let fields = element.array, fields.count >= 2, let id = fields[0].string else { return nil }
            let failures = fields.dropFirst(2).compactMap(RepeatWatch.failure)
            return Agent(id: id, wentOn: RepeatWatch.order(fields[1]), failures: failures)
        }
    }

    private static func order(_ json: JSONValue) -> EventOrder? {
        guard let fields = json.array, fields.count == 2, let time = fields[0].timestamp,
            let id = fields[1].string.flatMap(EventID.init)
        else { return nil }
        return EventOrder(time: time, id: id)
    }

    private static func failure(_ json: JSONValue) -> Failure? {
        guard let fields = json.array, fields.count >= 4, let order = order(fields[0]), let tool = fields[1].string,
            let input = fields[2].string.flatMap({ UInt64($0, radix: 16) }),
            let error = fields[3].string.flatMap({ UInt64($0, radix: 16) })
        else { return nil }
        let callID = fields.count > 4 ? fields[4].string : nil
        return Failure(order: order, tool: tool, input: input, error: error, callID: callID)
    }
}
