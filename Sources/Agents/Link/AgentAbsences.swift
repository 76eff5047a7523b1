package import EventModel
package import Persistence
internal import Synchronization

/// An agent that went away while its sessions worked.
package struct AgentAbsence: Sendable, Equatable {
    package var machine: MachineID
    package var machineName: String
    package var since: Timestamp
    /// How many of its sessions worked or waited for an answer.
    package var sessions: Int
}

/// The agents that went away while their sessions worked, as far as this server had their connections. In memory: what
/// was connected when the server ended is not known. May be used on any thread.
package final class AgentAbsences: Sendable {
    /// Seconds until an absence is told: many an agent is back within a moment.
    static let tellingSeconds = 300.0
    /// Seconds after which an absence is forgotten.
    static let keptSeconds = 7200.0

    private let absences = Mutex<[MachineID: AgentAbsence]>([:])

    package init() {}

    /// - Parameter sessions: those that it ran.
    func left(_ machine: MachineID, named name: String, _ sessions: [AgentSession], at now: Timestamp) {
        let working = sessions.filter { $0.state == .running || $0.state == .waiting }.count
        guard working > 0 else { return }
        let absence = AgentAbsence(machine: machine, machineName: name, since: now, sessions: working)
        absences.withLock { $0[machine] = absence }
    }

    func returned(_ machine: MachineID) { absences.withLock { $0[machine] = nil } }

    /// Those that are to be told, in the order in which they began.
    func due(at now: Timestamp) -> [AgentAbsence] {
        absences.withLock { absences in
            absences = absences.filter { now.seconds(since: $0.value.since) < AgentAbsences.keptSeconds }
            return absences.values.filter { now.seconds(since: $0.since) >= AgentAbsences.tellingSeconds }
                .sorted { $0.since < $1.since }
        }
    }
}

extension AgentService {
    /// The agents that have been away for five minutes, and whose sessions worked before. One that has connected to
    /// another server since is not among them.
    package func absences(_ store: PostgresStore) async throws(PersistenceError) -> [AgentAbsence] {
        let due = links.absences.due(at: clock())
        guard !due.isEmpty else { return [] }
        let known = try await store.agents()
        return due.filter { absence in
            guard let connected = known[absence.machine]?.since, connected <= absence.since else {
                links.absences.returned(absence.machine)
                return false
            }
            return true
        }
    }
}
