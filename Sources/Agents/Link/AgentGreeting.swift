package import EventModel
internal import JSON
internal import RPC

/// What an agent says about itself and its machine when it connects.
package struct AgentGreeting: Sendable {
    /// Version of the protocol that this server speaks.
    static let version: Int64 = 1

    /// Names the agent's installation. Only its digest is stored.
    package let identity: String
    /// Names the agent's process; `nil` if the agent is older.
    package let instance: String?
    package let agentVersion: String
    package let platform: String
    package let clients: [MachineAgent.Client]
    package let may: MachineAgent.Permissions
    package let sessions: [AgentSession]
    package let prompts: [AgentPrompt]

    init(_ params: RPCParams) throws(RPCError) {
        guard let versions = params.value("protocol")?.array, versions.contains(.integer(AgentGreeting.version)) else {
            throw .invalidParameter("protocol", "does not contain \(AgentGreeting.version)")
        }
        identity = try params.required("identity", limit: 64)
        guard identity.utf8.count >= 32 else { throw .invalidParameter("identity", "is too short") }
        instance = try params.string("instance", limit: 64)
        agentVersion = try params.required("agent_version", limit: 64)
        platform = try params.string("platform", limit: 64) ?? ""
        clients = AgentGreeting.clients(params)
        may = MachineAgent.Permissions(try params.object("may"))
        var sessions: [AgentSession] = []
        var prompts: [AgentPrompt] = []
        for session in (params.value("sessions")?.array ?? []).prefix(AgentLinks.mostSessions) {
            let params = try RPCParams(session)
            let reported = try AgentSession(params)
            if reported.state != .ended { sessions.append(reported) }
            for prompt in session["prompts"]?.array ?? [] { prompts.append(try AgentPrompt(try RPCParams(prompt))) }
        }
        (self.sessions, self.prompts) = (sessions, prompts)
    }

    /// Those in the member `clients`.
    static func clients(_ params: RPCParams) -> [MachineAgent.Client] {
        (params.value("clients")?.array ?? []).prefix(8).map { client in
            MachineAgent.Client(version: client["version"]?.word ?? "", path: client["path"]?.path ?? "")
        }
    }
}

extension MachineAgent.Permissions {
    init(_ may: RPCParams?) {
        self.init()
        func list(_ name: String) -> some Sequence<JSONValue> { (may?.value(name)?.array ?? []).prefix(100) }
        control = may?.value("control")?.bool ?? false
        files = may?.value("files")?.word ?? "off"
        git = may?.value("git")?.word ?? "off"
        pty = may?.value("pty")?.bool ?? false
        (modes, roots) = (list("modes").compactMap(\.word), list("roots").compactMap(\.path))
        sessions = Int(clamping: max(0, may?.value("sessions")?.integer ?? 0))
        makesProjects = may?.value("new_projects")?.bool ?? false
        chats = Int(clamping: max(0, may?.value("chats")?.integer ?? 0))
    }
}

extension MachineAgent {
    init(_ link: AgentLink) {
        let greeting = link.greeting
        self.init(.online, version: greeting.agentVersion, platform: greeting.platform, since: link.since)
        (clients, may) = (link.clients, link.may)
    }
}
