internal import JSON
internal import RPC

/// What an agent says about itself and its machine when it connects.
package struct AgentGreeting: Sendable {
    /// Version of the protocol that this server speaks.
    static let version: Int64 = 1

    package struct Client: Sendable, Equatable {
        package let version: String
        package let path: String
    }

    /// What the machine's own file allows. The agent checks each command against the file; this copy only says early,
    /// and with words, what would be refused.
    package struct Permissions: Sendable, Equatable {
        package let control: Bool
        package let files: String
        package let git: String
        package let modes: [String]
        package let roots: [String]
        package let sessions: Int
    }

    /// Names the agent's installation. Only its digest is stored.
    package let identity: String
    package let agentVersion: String
    package let platform: String
    package let clients: [Client]
    package let may: Permissions
    package let sessions: [AgentSession]
    package let prompts: [AgentPrompt]

    init(_ params: RPCParams) throws(RPCError) {
        guard let versions = params.value("protocol")?.array, versions.contains(.integer(AgentGreeting.version)) else {
            throw .invalidParameter("protocol", "does not contain \(AgentGreeting.version)")
        }
        identity = try params.required("identity", limit: 64)
        guard identity.utf8.count >= 32 else { throw .invalidParameter("identity", "is too short") }
        agentVersion = try params.required("agent_version", limit: 64)
        platform = try params.string("platform", limit: 64) ?? ""
        clients = (params.value("clients")?.array ?? []).prefix(8).map { client in
            Client(version: client["version"]?.string ?? "", path: client["path"]?.string ?? "")
        }
        may = Permissions(try params.object("may"))
        var sessions: [AgentSession] = []
        var prompts: [AgentPrompt] = []
        for session in params.value("sessions")?.array ?? [] {
            let params = try RPCParams(session)
            sessions.append(try AgentSession(params))
            for prompt in session["prompts"]?.array ?? [] { prompts.append(try AgentPrompt(try RPCParams(prompt))) }
        }
        (self.sessions, self.prompts) = (sessions, prompts)
    }
}

extension AgentGreeting.Permissions {
    fileprivate init(_ may: RPCParams?) {
        func words(_ name: String) -> [String] { (may?.value(name)?.array ?? []).prefix(100).compactMap(\.string) }
        control = may?.value("control")?.bool ?? false
        files = may?.value("files")?.string ?? "off"
        git = may?.value("git")?.string ?? "off"
        (modes, roots) = (words("modes"), words("roots"))
        sessions = Int(clamping: max(0, may?.value("sessions")?.integer ?? 0))
    }
}

extension AgentGreeting {
    static let mayShape = ObjectShape<Permissions>("AgentPermissions") { it in
        it.member("control") { $0.control }
        it.member("files") { $0.files }
        it.member("git") { $0.git }
        it.member("modes") { $0.modes }
        it.member("roots") { $0.roots }
        it.member("sessions") { $0.sessions }
    }

    static let clientShape = ObjectShape<Client>("AgentClient") { it in
        it.member("version") { $0.version }
        it.member("path") { $0.path }
    }
}
