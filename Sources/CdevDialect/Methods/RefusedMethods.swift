import JSON
import RPC

/// cdev's methods that this server does not have. It knows them, checks their parameters, and says what to call in
/// their place.
enum RefusedMethods {
    private typealias Row = (name: String, summary: String, parameters: [RPCParameter], reason: String)

    static let all = methods.map(refused)

    static let names = Set(all.map(\.name))

    private static func refused(_ row: Row) -> CdevMethod {
        let description = RPCDescription(row.summary, row.parameters, as: "NoResult", errors: [.agentNotConfigured])
        return CdevMethod.immediate(row.name, description) { call throws(RPCError) in
            throw .notReachable(row.reason, row.name, sessionID: try call.params.string("session_id"))
        }
    }

    private static let input = RPCParameter.text("input", "What to type.", limit: 1 << 19)
    private static let workspace = RPCParameter.text("workspace_id", "The workspace.").also("workspaceId")

    private static let terminal = "This server types into no terminal: send messages with session/send"
    private static let index =
        "This server keeps no index of files: list them with workspace/files/list, find them with repository/search"

    private static let methods: [Row] = [
        ("agent/input", "Types into the agent's terminal.", [input], terminal),
        ("repository/index/status", "Progress of the index of files.", [workspace], index),
        ("repository/index/rebuild", "Rebuilds the index of files.", [workspace], index),
        ("repository/stats", "Counts files by kind.", [workspace], index),
        ("repository/files/tree", "Files of the index as a tree.", [workspace], index),
    ]
}
