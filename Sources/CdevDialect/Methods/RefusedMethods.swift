import JSON
import RPC

/// cdev's methods that control Claude Code or index files on the machine, and that this server does not have. It knows
/// the methods and checks their parameters, but answers that there is no agent.
enum RefusedMethods {
    private typealias Row = (name: String, summary: String, parameters: [RPCParameter])

    static let all = methods.map { refused($0.name, $0.summary, $0.parameters) }

    private static func refused(_ name: String, _ summary: String, _ parameters: [RPCParameter]) -> CdevMethod {
        let description = RPCDescription(summary, parameters, as: "NoResult", errors: [.agentNotConfigured])
        return CdevMethod.immediate(name, description) { call throws(RPCError) in
            throw .agentNotConfigured(name, sessionID: try call.params.string("session_id"))
        }
    }

    private static let prompt = RPCParameter.text("prompt", "What to do.", limit: 1 << 19)
    private static let promptMode = RPCParameter.text("mode", "new or continue.")
    private static let input = RPCParameter.text("input", "What to type.", limit: 1 << 19)
    private static let response = RPCParameter.text("response", "The answer.", limit: 1 << 19)
    private static let session = RPCParameter.text("session_id", "The session.").also("sessionId")
    private static let workspace = RPCParameter.text("workspace_id", "The workspace.").also("workspaceId")
    private static let path = RPCParameter.text("path", "Within the workspace.", limit: 4096)
    private static let limit = RPCParameter.integer("limit", 0...100_000, "How many.")

    private static let methods: [Row] = [
        ("agent/run", "Starts an agent.", [prompt, promptMode, session, .permissionMode]),
        ("agent/stop", "Stops the agent.", []),
        (
            "agent/respond", "Answers a tool's question.",
            [.text("tool_use_id", "The question."), response, .flag("is_error", "Whether it is an error.")]
        ),
        ("agent/status", "The agent's state.", []),
        ("agent/input", "Types into the agent's terminal.", [input]),
        ("file/get", "A file's content.", [path.required]),
        ("file/list", "Lists a directory.", [path]),
        ("workspace/discover", "Looks for repositories on the machine.", [.anything("paths", "Where to look.")]),
        ("repository/index/status", "Progress of the index of files.", [workspace]),
        ("repository/index/rebuild", "Rebuilds the index of files.", [workspace]),
        ("repository/stats", "Counts files by kind.", [workspace]),
        ("repository/files/list", "Files of the index.", [workspace, limit, .offset]),
        ("repository/files/tree", "Files of the index as a tree.", [workspace]),
    ]
}
