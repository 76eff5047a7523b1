internal import API
package import EventModel
package import HTTPModel
package import JSON
package import Persistence
internal import Signing

/// What the connections of agents need.
extension AgentService {
    /// Whether an agent may act for its machine.
    package enum Admission: Sendable {
        case admitted
        /// Another agent was the first of this machine. A stolen key alone does not take its place.
        case otherIdentity
        case databaseUnavailable
    }

    /// Compares the agent with the first one of its machine, or records it as the first.
    package func admit(_ greeting: AgentGreeting, of grant: MachineGrant) async -> Admission {
        let digest = Hex.encode(Digest.sha256(Array(greeting.identity.utf8)))
        do throws(APIError) {
            let isSame = try await database.use { store throws(PersistenceError) in
                try await store.admitAgent(digest, greeting, of: grant.machine, at: clock())
            }
            return isSame ? .admitted : .otherIdentity
        } catch {
            return .databaseUnavailable
        }
    }

    /// The agents of all machines that have ever had one.
    package func agents(_ store: PostgresStore) async throws(PersistenceError) -> [MachineID: MachineAgent] {
        var agents = try await store.agents()
        for link in links.all { agents[link.machine] = MachineAgent(link) }
        return agents
    }

    /// Gives a session the answer to what it asks.
    ///
    /// - Parameter decision: what a hook would print.
    package func answer(
        _ holdID: String,
        of session: String,
        with decision: JSONValue,
        by link: AgentLink,
        seconds: Double
    ) async throws(APIError) {
        let command = AgentCommand(
            "prompt/answer",
            id: holdID,
            by: Actor(kind: "device"),
            [("session_id", .string(session)), ("hold_id", .string(holdID)), ("output", decision)]
        )
        _ = try await link.call(command, seconds: seconds)
    }
}
