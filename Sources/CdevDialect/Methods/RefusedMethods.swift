import JSON
import RPC

/// cdev's methods that control Claude Code or index files on the machine, and that this server does not have. It knows
/// the methods and checks their parameters, but answers that there is no agent.
enum RefusedMethods {
    private typealias Row = (name: String, summary: String, parameters: [RPCParameter])

    static let all = methods.map { refused($0.name, $0.summary, $0.parameters) }

    static let names = Set(all.map(\.name))

    private static func refused(_ name: String, _ summary: String, _ parameters: [RPCParameter]) -> CdevMethod {
        let description = RPCDescription(summary, parameters, as: "NoResult", errors: [.agentNotConfigured])
        return CdevMethod.immediate(name, description) { call throws(RPCError) in
            throw .agentNotConfigured(name, sessionID: try call.params.string("session_id"))
        }
    }

    private static let input = RPCParameter.text("input", "What to type.", limit: 1 << 19)
    private static let workspace = RPCParameter.text("workspace_id", "The workspace.").also("workspaceId")
    private static let path = RPCParameter.text("path", "Within the workspace.", limit: 4096)
    private static let limit = RPCParameter.integer("limit", 0...100_000, "How many.")

    private static let methods: [Row] = [
        ("agent/input", "Types into the agent's terminal.", [input]),
        ("file/get", "A file's content.", [path.required]),
        ("file/list", "Lists a directory.", [path]),
        ("repository/index/status", "Progress of the index of files.", [workspace]),
        ("repository/index/rebuild", "Rebuilds the index of files.", [workspace]),
        ("repository/stats", "Counts files by kind.", [workspace]),
        ("repository/files/list", "Files of the index.", [workspace, limit, .offset]),
        ("repository/files/tree", "Files of the index as a tree.", [workspace]),
    ]
}
