import JSON
import RPC

/// cdev's methods that drive Claude Code, files or git on the machine. This server only watches: they are known, their
/// parameters are checked, and the answer says that no agent is there.
enum AgentMethods {
    static let all =
        (agent + session + permission + files + repository).map(absent) + git
        + [SessionOpening.start, invalidateCache]

    struct Absent {
        let name: String
        let summary: String
        let parameters: [RPCParameter]

        init(_ name: String, _ summary: String, _ parameters: [RPCParameter] = []) {
            (self.name, self.summary, self.parameters) = (name, summary, parameters)
        }
    }

    static func absent(_ method: Absent) -> RPCMethod {
        let (name, parameters) = (method.name, method.parameters)
        let description = RPCDescription(
            method.summary,
            parameters,
            as: "NoResult",
            errors: [.agentNotConfigured]
        )
        return RPCMethod.immediate(name, description) { call throws(RPCError) in
            throw .agentNotConfigured(name, sessionID: try call.params.string("session_id"))
        }
    }

    private static let agentType = RPCParameter.text("agent_type", "Of which kind.")
    private static let someSession = RPCParameter.text("session_id", "The session.").also("sessionId")
    static let mode = RPCParameter.text("permission_mode", "What the agent may do without asking.")

    private static let agent = [
        Absent(
            "agent/run",
            "Starts an agent.",
            [.text("prompt", "What to do.", limit: 1 << 19), .text("mode", "new or continue."), someSession, mode]
        ),
        Absent("agent/stop", "Stops the agent."),
        Absent(
            "agent/respond",
            "Answers a tool's question.",
            [
                .text("tool_use_id", "The question."), .text("response", "The answer.", limit: 1 << 19),
                .flag("is_error", "Whether it is an error."),
            ]
        ),
        Absent("agent/status", "What the agent does."),
        Absent("agent/input", "Types into the agent's terminal.", [.text("input", "What to type.", limit: 1 << 19)]),
    ]

    private static let session = [
        Absent(
            "session/send",
            "Sends a prompt.",
            [
                .text("prompt", "What to do.", limit: 1 << 19).required, someSession,
                .text("workspace_id", "Where.").also("workspaceId"), .text("mode", "new or continue."), mode,
                .flag("yolo_mode", "Whether nothing is asked."), agentType,
            ]
        ),
        Absent(
            "session/input",
            "Types into a session's terminal.",
            [
                .placeSessionID, .text("input", "What to type.", limit: 1 << 19), .text("key", "A key by its name."),
                agentType,
            ]
        ),
        Absent(
            "session/respond",
            "Answers what a session asks.",
            [
                .placeSessionID, .text("type", "permission or question."),
                .text("response", "The answer.", limit: 1 << 19), agentType,
            ]
        ),
        Absent("session/stop", "Stops a session.", [.placeSessionID, agentType]),
    ]

    private static let permission = [
        Absent(
            "permission/request",
            "Asks a person for a permission.",
            [
                .placeSessionID, .text("tool_name", "The tool.").required, .anything("tool_input", "Its input."),
                .text("tool_use_id", "The use."), .text("cwd", "The directory.", limit: 4096),
            ]
        ),
        Absent(
            "permission/respond",
            "Answers a permission request.",
            [
                .text("tool_use_id", "The request.").required, .text("decision", "allow or deny.").required,
                .text("scope", "once or session."),
            ]
        ),
    ]

    /// There is no cache to be stale.
    private static let invalidateCache = RPCMethod.immediate(
        "workspace/cache/invalidate",
        RPCDescription("Nothing is cached, so nothing happens.", as: "CacheInvalidated")
    ) { _ in
        RPCResult { writer in
            writer.field("success", true)
            writer.field("status", "ok")
        }
    }
}
