internal import Agents
package import EventModel
internal import JSON
internal import Persistence
internal import Synchronization

/// Tells the machines' agents when sessions begin and stop, as the events of their hooks say. The agents then take the
/// states that the change sets of sessions compare. May be used on any thread.
package final class SessionBaselines: LogObserver {
    /// Seconds after which an event says nothing of the work tree any more.
    private static let fresh = 60.0
    /// Seconds after the start in which a session has done nothing yet.
    private static let early = 10.0
    private static let mostBegun = 10_000

    private let context: ServerContext
    /// Sessions whose agent was told that they began, with the agent's process.
    private let begun = Mutex<Set<String>>([])

    package init(context: ServerContext) { self.context = context }

    package var needsEvents: Bool { context.agents.links.count > 0 }

    package func skipped(to position: StreamPosition) {}

    package func logged(_ batch: CommittedBatch) {
        guard needsEvents else { return }
        for event in batch.events.map(\.event) {
            guard let hook = event.hookEventName?.known, let name = event.ownSessionID, EventID(name) != nil,
                let id = event.sessionID,
                let link = context.agents.links.link(of: event.machine), link.may.git != "off",
                let occasion = occasion(hook, event, name, link)
            else { continue }
            Task(executorPreference: context.executor(of: .server)) { [agents = context.agents] in
                await agents.tell(occasion, of: name, id, to: link)
            }
        }
    }

    private func occasion(
        _ hook: HookEventName.Known,
        _ event: MonitorEvent,
        _ name: String,
        _ link: AgentLink
    ) -> AgentService.Occasion? {
        let age = event.receivedAt.seconds(since: event.timestamp)
        switch hook {
        case .sessionStart, .userPromptSubmit:
            guard let directory = event.projectPath, note(name, link) else { return nil }
            let isStart = hook == .sessionStart && SessionBaselines.isNew(event.payload)
            return .began(
                directory: directory,
                at: isStart ? event.timestamp : nil,
                isLate: !isStart || age > SessionBaselines.early
            )
        case .stop, .stopFailure, .sessionEnd:
            guard age < SessionBaselines.fresh else { return nil }
            // The agent knows when its own sessions stop.
            let running = context.agents.links.session(name, on: event.machine)
            return .stopped(isKnown: running?.hasTerminal == false)
        default: return nil
        }
    }

    /// - Returns: false if the agent was told before.
    private func note(_ name: String, _ link: AgentLink) -> Bool {
        begun.withLock { begun in
            if begun.count >= SessionBaselines.mostBegun { begun = [] }
            return begun.insert("\(link.machine.rawValue) \(link.greeting.instance ?? "") \(name)").inserted
        }
    }

    /// Whether the session begins with this start: it may also go on with what it was.
    private static func isNew(_ payload: [UInt8]) -> Bool {
        let source = (try? JSONValue.parse(payload))?["source"]?.string
        return source == nil || source == "startup" || source == "clear"
    }
}

extension MonitorEvent {
    /// Claude Code's own id, without what is added if another machine has used it.
    fileprivate var ownSessionID: String? {
        sessionID.map { id in id.firstIndex(of: "@").map { String(id[..<$0]) } ?? id }
    }
}
