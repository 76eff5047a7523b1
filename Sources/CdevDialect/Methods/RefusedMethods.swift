import JSON
import RPC

/// cdev's methods that control Claude Code, files or git on the machine. This server only observes. It knows the
/// methods and checks their parameters, but answers that there is no agent.
enum RefusedMethods {
    private typealias Row = (name: String, summary: String, parameters: [RPCParameter])

    static let all = (methods + gitMethods).map { refused($0.name, $0.summary, $0.parameters) }

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

    /// Each method exists under `git/` and under `workspace/git/`.
    private static let gitMethods: [Row] = ["git/", "workspace/git/"].flatMap { prefix in
        let repository = RPCParameter.text("workspace_id", "The repository's workspace.").also("workspaceId")
        return git.map { (prefix + $0.name, $0.summary, [repository] + $0.parameters) as Row }
    }

    private static let paths = RPCParameter.anything("paths", "The files.")
    private static let branch = RPCParameter.text("branch", "The branch.")
    private static let remote = RPCParameter.text("remote", "The remote.")
    private static let force = RPCParameter.flag("force", "Continue even if changes are lost.")
    private static let stash = RPCParameter.integer("index", 0...100_000, "The stash.")

    private static let git: [Row] = [
        ("status", "Lists changes.", []),
        ("get_status", "The state in a word.", []),
        ("state", "The state in a word.", []),
        (
            "diff", "Changes of a file, or of all.",
            [.anything("path", "The file."), .flag("staged", "Only staged changes.")]
        ),
        ("stage", "Stages files.", [paths]),
        ("unstage", "Unstages files.", [paths]),
        ("discard", "Discards changes.", [paths]),
        (
            "commit", "Commits staged changes.",
            [.text("message", "The commit's message.", limit: 1 << 16), .flag("push", "Push the commit too.")]
        ),
        (
            "push", "Pushes commits.",
            [force, .flag("set_upstream", "Set the upstream branch."), remote, branch]
        ),
        ("pull", "Pulls commits.", [.flag("rebase", "Rebase instead of merging.")]),
        (
            "fetch", "Fetches from a remote.",
            [remote, .flag("prune", "Remove branches that the remote no longer has.")]
        ),
        ("branches", "Lists branches.", []),
        ("checkout", "Checks a branch out.", [branch, .flag("create", "Create the branch.")]),
        ("branch/delete", "Deletes a branch.", [branch, force]),
        ("log", "Lists commits.", [limit, .offset.also("skip"), branch, .flag("graph", "Include lanes.")]),
        (
            "stash", "Stashes changes.",
            [.anything("message", "A description."), .flag("include_untracked", "Include new files.")]
        ),
        ("stash/list", "Lists stashes.", []),
        ("stash/apply", "Applies a stash.", [stash]),
        ("stash/pop", "Applies a stash and drops it.", [stash]),
        ("stash/drop", "Drops a stash.", [stash]),
        ("merge", "Merges a branch.", [branch, .flag("no_ff", "Always create a merge commit.")]),
        ("merge/abort", "Aborts a merge.", []),
        ("init", "Creates a repository.", [.text("initial_branch", "The first branch.")]),
        ("remote/add", "Adds a remote.", [.text("name", "The name."), .text("url", "The URL.", limit: 4096)]),
        ("remote/list", "Lists remotes.", []),
        ("remote/remove", "Removes a remote.", [.text("name", "The remote.")]),
        ("upstream/set", "Sets a branch's upstream.", [branch, .text("upstream", "The upstream branch.")]),
    ]
}
