import JSON
import RPC

/// cdev's methods that control Claude Code, files or git on the machine. This server only observes. It knows the
/// methods and checks their parameters, but answers that there is no agent.
enum RefusedMethods {
    private typealias Row = (name: String, summary: String, parameters: [RPCParameter])

    static let all = (methods + gitMethods).map { refused($0.name, $0.summary, $0.parameters) }

    private static func refused(_ name: String, _ summary: String, _ parameters: [RPCParameter]) -> RPCMethod {
        let description = RPCDescription(summary, parameters, as: "NoResult", errors: [.agentNotConfigured])
        return RPCMethod.immediate(name, description) { call throws(RPCError) in
            throw .agentNotConfigured(name, sessionID: try call.params.string("session_id"))
        }
    }

    private static let prompt = RPCParameter.text("prompt", "What to do.", limit: 1 << 19)
    private static let promptMode = RPCParameter.text("mode", "new or continue.")
    private static let input = RPCParameter.text("input", "What to type.", limit: 1 << 19)
    private static let response = RPCParameter.text("response", "The answer.", limit: 1 << 19)
    private static let kind = RPCParameter.text("agent_type", "Of which kind.")
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
        ("agent/status", "What the agent does.", []),
        ("agent/input", "Types into the agent's terminal.", [input]),
        ("session/stop", "Stops a session.", [.placeSessionID, kind]),
        ("file/get", "A file's content.", [path.required]),
        ("file/list", "What a directory holds.", [path]),
        (
            "workspace/file/get", "A file's content.",
            [.placeWorkspaceID, path.required, .integer("max_size_kb", 1...100_000, "Cut behind this.")]
        ),
        (
            "workspace/files/list", "What a directory holds.",
            [
                .placeWorkspaceID, .anything("directory", "Which; the workspace's own where it is missing or empty."),
                limit, .offset, .flag("include_hidden", "Files that begin with a dot, too."),
            ]
        ),
        ("workspace/discover", "Looks for repositories on the machine.", [.anything("paths", "Where to look.")]),
        ("repository/index/status", "How far the index of files is.", [workspace]),
        ("repository/index/rebuild", "Makes the index of files anew.", [workspace]),
        ("repository/stats", "How many files of which kind.", [workspace]),
        ("repository/files/list", "Files of the index.", [workspace, limit, .offset]),
        ("repository/files/tree", "Files of the index as a tree.", [workspace]),
        (
            "repository/search", "Looks for files by name.",
            [
                .text("query", "Part of a name.", limit: 4096).required, workspace,
                .text("mode", "fuzzy, exact, prefix or extension."), limit, .offset,
                .anything("extensions", "Only files with these.").also("file_types"),
            ]
        ),
    ]

    /// Each method exists under `git/` and under `workspace/git/`.
    private static let gitMethods: [Row] = ["git/", "workspace/git/"].flatMap { prefix in
        let repository = RPCParameter.text("workspace_id", "The repository's workspace.").also("workspaceId")
        return git.map { (prefix + $0.name, $0.summary, [repository] + $0.parameters) as Row }
    }

    private static let paths = RPCParameter.anything("paths", "Which files.")
    private static let branch = RPCParameter.text("branch", "Which branch.")
    private static let remote = RPCParameter.text("remote", "Which remote.")
    private static let force = RPCParameter.flag("force", "Even if something is lost.")
    private static let stash = RPCParameter.integer("index", 0...100_000, "Which stash.")

    private static let git: [Row] = [
        ("status", "What has changed.", []),
        ("get_status", "The state in a word.", []),
        ("state", "The state in a word.", []),
        (
            "diff", "Changes of a file, or of all.",
            [.anything("path", "Which file."), .flag("staged", "What is staged.")]
        ),
        ("stage", "Stages files.", [paths]),
        ("unstage", "Takes files out of the stage.", [paths]),
        ("discard", "Throws changes away.", [paths]),
        (
            "commit", "Commits what is staged.",
            [.text("message", "The commit's message.", limit: 1 << 16), .flag("push", "Pushes it, too.")]
        ),
        ("push", "Pushes commits.", [force, .flag("set_upstream", "Remembers where."), remote, branch]),
        ("pull", "Pulls commits.", [.flag("rebase", "Instead of a merge.")]),
        ("fetch", "Fetches from a remote.", [remote, .flag("prune", "Forgets what is gone.")]),
        ("branches", "All branches.", []),
        ("checkout", "Goes to a branch.", [branch, .flag("create", "Makes it.")]),
        ("branch/delete", "Deletes a branch.", [branch, force]),
        ("log", "Commits, the newest first.", [limit, .offset.also("skip"), branch, .flag("graph", "With lanes.")]),
        (
            "stash", "Stashes changes.",
            [.anything("message", "What they are."), .flag("include_untracked", "New files, too.")]
        ),
        ("stash/list", "What was put by.", []),
        ("stash/apply", "Takes changes back.", [stash]),
        ("stash/pop", "Takes changes back and forgets them.", [stash]),
        ("stash/drop", "Forgets changes.", [stash]),
        ("merge", "Merges a branch.", [branch, .flag("no_ff", "Always with a commit.")]),
        ("merge/abort", "Gives a merge up.", []),
        ("init", "Makes a repository.", [.text("initial_branch", "Its first branch.")]),
        ("remote/add", "Adds a remote.", [.text("name", "Its name."), .text("url", "Its address.", limit: 4096)]),
        ("remote/list", "All remotes.", []),
        ("remote/remove", "Removes a remote.", [.text("name", "Which.")]),
        ("upstream/set", "Sets a branch's upstream.", [branch, .text("upstream", "Which.")]),
    ]
}
