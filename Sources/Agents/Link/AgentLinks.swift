package import EventModel
internal import Synchronization

/// The agents that are connected to this server, and what they report of their sessions. May be used on any thread.
package final class AgentLinks: Sendable {
    private struct Entry {
        let link: AgentLink
        var sessions: [String: AgentSession] = [:]
    }

    /// The sessions of one agent that count. More than any machine can run.
    static let mostSessions = 256

    /// The agents that went away.
    let absences = AgentAbsences()
    private let entries = Mutex<[MachineID: Entry]>([:])

    package init() {}

    /// Registers a link. The newest link of a machine counts.
    ///
    /// - Returns: the one that it replaces.
    package func add(_ link: AgentLink) -> AgentLink? {
        absences.returned(link.machine)
        return entries.withLock { entries in
            let sessions = link.greeting.sessions
            let entry = Entry(link: link, sessions: Dictionary(sessions.map { ($0.id, $0) }) { _, last in last })
            return entries.updateValue(entry, forKey: link.machine)?.link
        }
    }

    package func remove(_ link: AgentLink, at now: Timestamp) {
        let removed = entries.withLock { entries in
            entries[link.machine]?.link === link ? entries.removeValue(forKey: link.machine) : nil
        }
        guard let removed else { return }
        absences.left(link.machine, named: link.machineName, Array(removed.sessions.values), at: now)
    }

    /// Records what an agent reports. Ignores a link that was replaced.
    ///
    /// - Returns: what it reported before, and whether the session is new.
    package func update(_ session: AgentSession, of link: AgentLink) -> (before: AgentSession?, isNew: Bool) {
        entries.withLock { entries in
            guard entries[link.machine]?.link === link else { return (nil, false) }
            let known = entries[link.machine]?.sessions ?? [:]
            let before = known[session.id]
            guard session.state != .ended else {
                entries[link.machine]?.sessions[session.id] = nil
                return (before, false)
            }
            guard before != nil || known.count < AgentLinks.mostSessions else { return (nil, false) }
            entries[link.machine]?.sessions[session.id] = session
            return (before, before == nil)
        }
    }

    package func link(of machine: MachineID) -> AgentLink? { entries.withLock { $0[machine]?.link } }

    package var all: [AgentLink] { entries.withLock { $0.values.map(\.link) } }

    /// The session, if a connected agent runs it.
    package func session(_ id: String, on machine: MachineID) -> AgentSession? {
        entries.withLock { $0[machine]?.sessions[id] }
    }

    package var count: Int { entries.withLock { $0.count } }
    package var sessionCount: Int { entries.withLock { $0.values.reduce(0) { $0 + $1.sessions.count } } }
}
