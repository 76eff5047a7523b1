package import EventModel
import RPC
package import WSFanout

/// What the server knows at the time of a call.
package struct CdevContext: RPCContext {
    package var window: StreamWindow
    package var serverVersion: String
    /// Whether the agent of any machine is connected.
    package var hasAgents: Bool
    /// What the client may have machines do.
    package var abilities: @Sendable () -> MachineAbilities
    /// Whether events can be committed now.
    package var isHealthy: Bool
    package var now: Timestamp
    package var uptimeSeconds: Int64
    package var connectedClients: Int
    /// `running`, `waiting` or `idle`, as heartbeats report it.
    package var claudeStatus: String
    package var presence: Presence
    /// The client of the socket.
    package var principal: Principal

    package init(
        window: StreamWindow,
        serverVersion: String,
        hasAgents: Bool = false,
        abilities: @escaping @Sendable () -> MachineAbilities = { MachineAbilities() },
        isHealthy: Bool,
        now: Timestamp,
        uptimeSeconds: Int64 = 0,
        connectedClients: Int = 0,
        claudeStatus: String = "idle",
        presence: Presence = Presence(),
        principal: Principal
    ) {
        (self.hasAgents, self.abilities) = (hasAgents, abilities)
        (self.window, self.serverVersion, self.isHealthy, self.now) = (window, serverVersion, isHealthy, now)
        (self.uptimeSeconds, self.connectedClients) = (uptimeSeconds, connectedClients)
        (self.claudeStatus, self.presence, self.principal) = (claudeStatus, presence, principal)
    }
}
