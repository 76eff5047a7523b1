import JSON
import RPC

/// cdev's methods that use git on the machine, each under `git/` and under `workspace/git/`.
extension AgentMethods {
    static let git = ["git/", "workspace/git/"].flatMap { prefix in
        gitCommands.map { command in
            absent(Absent(prefix + command.name, command.summary, [workspace] + command.parameters))
        }
    }

    private static let workspace = RPCParameter.text("workspace_id", "The repository's workspace.").also("workspaceId")
    private static let paths = RPCParameter.anything("paths", "Which files.")
    private static let branch = RPCParameter.text("branch", "Which branch.")
    private static let remote = RPCParameter.text("remote", "Which remote.")
    private static let force = RPCParameter.flag("force", "Even if something is lost.")
    private static let index = RPCParameter.integer("index", 0...100_000, "Which stash.")

    private static let gitCommands = [
        Absent("status", "What has changed."), Absent("get_status", "The state in a word."),
        Absent("state", "The state in a word."),
        Absent(
            "diff",
            "Changes of a file, or of all.",
            [.anything("path", "Which file."), .flag("staged", "What is staged.")]
        ),
        Absent("stage", "Stages files.", [paths]), Absent("unstage", "Takes files out of the stage.", [paths]),
        Absent("discard", "Throws changes away.", [paths]),
        Absent(
            "commit",
            "Commits what is staged.",
            [.text("message", "The commit's message.", limit: 1 << 16), .flag("push", "Pushes it, too.")]
        ),
        Absent(
            "push",
            "Pushes commits.",
            [force, .flag("set_upstream", "Remembers where."), remote, branch]
        ),
        Absent("pull", "Pulls commits.", [.flag("rebase", "Instead of a merge.")]),
        Absent("fetch", "Fetches from a remote.", [remote, .flag("prune", "Forgets what is gone.")]),
        Absent("branches", "All branches."),
        Absent("checkout", "Goes to a branch.", [branch, .flag("create", "Makes it.")]),
        Absent("branch/delete", "Deletes a branch.", [branch, force]),
        Absent(
            "log",
            "Commits, the newest first.",
            [.integer("limit", 0...100_000, "How many."), .offset.also("skip"), branch, .flag("graph", "With lanes.")]
        ),
        Absent(
            "stash",
            "Puts changes by.",
            [.anything("message", "What they are."), .flag("include_untracked", "New files, too.")]
        ),
        Absent("stash/list", "What was put by."), Absent("stash/apply", "Takes changes back.", [index]),
        Absent("stash/pop", "Takes changes back and forgets them.", [index]),
        Absent("stash/drop", "Forgets changes.", [index]),
        Absent("merge", "Merges a branch.", [branch, .flag("no_ff", "Always with a commit.")]),
        Absent("merge/abort", "Gives a merge up."),
        Absent("init", "Makes a repository.", [.text("initial_branch", "Its first branch.")]),
        Absent(
            "remote/add",
            "Adds a remote.",
            [.text("name", "Its name."), .text("url", "Its address.", limit: 4096)]
        ),
        Absent("remote/list", "All remotes."), Absent("remote/remove", "Removes a remote.", [.text("name", "Which.")]),
        Absent("upstream/set", "Sets a branch's upstream.", [branch, .text("upstream", "Which.")]),
    ]
}
