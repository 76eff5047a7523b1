import JSON

/// cdev's methods that drive Claude Code, git or files on the machine. This server only watches: they are known, their
/// parameters are checked, and the answer says that no agent is there.
enum AgentMethods {
    static let all = names.map(absent) + [invalidateCache]

    /// Each with the parameters without which it is refused as -32602, in all their spellings.
    private static let names: [(method: String, required: [[String]])] =
        [
            ("agent/run", []), ("agent/stop", []), ("agent/respond", []), ("agent/status", []), ("agent/input", []),
            ("session/start", [workspace]), ("session/send", [["prompt"]]), ("session/input", [session]),
            ("session/respond", [session]), ("session/stop", [session]),
            ("permission/request", [session, ["tool_name"]]), ("permission/respond", [["tool_use_id"], ["decision"]]),
            ("workspace/discover", []),
            ("file/get", [["path"]]), ("file/list", []), ("workspace/file/get", [workspace, ["path"]]),
            ("workspace/files/list", [workspace]),
            ("repository/index/status", []), ("repository/index/rebuild", []), ("repository/stats", []),
            ("repository/files/list", []), ("repository/files/tree", []), ("repository/search", [["query"]]),
        ] + ["git/", "workspace/git/"].flatMap { prefix in git.map { (prefix + $0, []) } }

    private static let session = ["session_id", "sessionId"]
    private static let workspace = ["workspace_id", "workspaceId"]

    private static let git = [
        "status", "get_status", "state", "diff", "stage", "unstage", "discard", "commit", "push", "pull", "fetch",
        "branches", "checkout", "branch/delete", "log", "stash", "stash/list", "stash/apply", "stash/pop",
        "stash/drop", "merge", "merge/abort", "init", "remote/add", "remote/list", "remote/remove", "upstream/set",
    ]

    /// There is no cache to be stale.
    static let invalidateCache = RPCMethod.immediate("workspace/cache/invalidate") { _ in
        RPCResult { writer in
            writer.field("success", true)
            writer.field("status", "ok")
        }
    }

    private static func absent(_ method: String, _ required: [[String]]) -> RPCMethod {
        RPCMethod.immediate(method) { call throws(RPCError) in
            for spellings in required where !spellings.contains(where: call.params.has) {
                throw .invalidParameter(spellings[0], "is required")
            }
            let sessionID = try call.params.string("session_id")
            throw .agentNotConfigured(method, sessionID: sessionID)
        }
    }
}
