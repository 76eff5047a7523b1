package import EventModel
internal import JSON
package import RPC

/// The server's side of the WebSocket `/api/agent`: the methods that a machine's agent calls.
package enum AgentHost: RPCHost {
    package struct State: Sendable {
        /// `nil` until the agent has called `initialize`.
        package internal(set) var greeting: AgentGreeting?
    }

    package struct Context: RPCContext {
        package let principal: Principal
        package let now: Timestamp
        /// The server's name for itself, which the agent logs.
        package let node: String
        /// The versions of `monitor-agent` that machines can download here, by platform.
        package let releases: [String: String]

        package init(principal: Principal, now: Timestamp, node: String, releases: [String: String]) {
            (self.principal, self.now, self.node, self.releases) = (principal, now, node, releases)
        }
    }

    package enum Action: Sendable {
        case greeted(AgentGreeting)
        /// What the machine's file allows has changed.
        case allowed(MachineAgent.Permissions)
        /// Claude Code was installed, updated or removed.
        case clients([MachineAgent.Client])
        case session(AgentSession)
        case partial(AgentPartial)
        case screen(AgentScreen)
        case turnEnded(AgentTurnEnd)
        case message(AgentMessageNotice)
        case chatText(AgentChatText)
        case turnStep(AgentTurnStep)
        case filesChanged(AgentFileChanges)
        case gitChanged(AgentGitChange)
        case watch(AgentWatchState)
    }

    package typealias Services = AgentPrompts

    /// The number of seconds in which an agent must call `initialize`.
    private static let initializeSeconds = 10.0
    private static let messagesPerSecond = 2000.0
    private static let mostCalls = 1024
    /// Levels of the JSON of a message.
    package static let maximumDepth = 128
    /// The bytes of a WebSocket message. Longer content is not sent as one message.
    package static let maximumMessage = 1 << 20

    package static func session(openedAt: Timestamp) -> RPCSession<AgentHost> {
        var limits = RPCPeer.Limits()
        limits.batch = 1
        limits.perSecond = messagesPerSecond
        limits.burst = Int(messagesPerSecond)
        limits.pending = mostCalls
        return RPCSession(
            state: State(),
            methods: AgentMethods.table,
            opening: (AgentMethods.initialize.name, openedAt.adding(seconds: initializeSeconds)),
            limits: limits
        ) { try? JSONValue.parse($0, maxDepth: maximumDepth) }
    }
}

typealias AgentMethod = RPCMethod<AgentHost>

/// Takes the prompts of an agent's sessions. Both calls may be repeated.
package struct AgentPrompts: Sendable {
    let open: @Sendable (AgentPrompt) async throws(RPCError) -> Void
    let withdraw: @Sendable (AgentPromptEnd) async throws(RPCError) -> Void

    package init(
        open: @escaping @Sendable (AgentPrompt) async throws(RPCError) -> Void,
        withdraw: @escaping @Sendable (AgentPromptEnd) async throws(RPCError) -> Void
    ) {
        (self.open, self.withdraw) = (open, withdraw)
    }
}

/// What a session of an agent asks a person.
package struct AgentPrompt: Sendable {
    package let sessionID: String
    /// The agent's own id of the request, a UUID.
    package let holdID: String
    package let seconds: Double
    /// The words of the machine's approvals file for this request.
    package let policy: String
    /// The envelope of a PermissionRequest or Elicitation.
    package let event: [UInt8]
}

/// A prompt that nobody can answer any more.
package struct AgentPromptEnd: Sendable {
    package enum Reason: String, Sendable, CaseIterable {
        /// Claude Code no longer asks: the turn was interrupted.
        case cancelled
        /// The process has ended.
        case gone
        /// The machine's rule denied, because nobody answered.
        case expired
    }

    package let holdID: String
    package let reason: Reason
}
