internal import JSON

extension GitMethod {
    private static let name = GitParameter.Kind.text(256)
    private static let path = GitParameter("path", .text(4096), "The file, below the repository's root.", wire: "file")
    private static let pathBytes = GitParameter(
        "path_b64",
        .text(8192),
        "The path as Base64, in place of 'path', where its bytes are not UTF-8.",
        wire: "file_b64"
    )
    private static let files = [
        GitParameter("paths", .texts(most: 1000, of: 4096), "The files, below the repository's root.", wire: "files"),
        GitParameter(
            "paths_b64",
            .texts(most: 1000, of: 8192),
            "Further files, as Base64, where their bytes are not UTF-8.",
            wire: "files_b64"
        ),
        path, pathBytes,
        GitParameter("hunks", .texts(most: 1000, of: 256 << 10), "Only these hunks of 'path', by their headings."),
        GitParameter("base", .text(64), "With 'hunks': 'base' of the diff that was looked at."),
        GitParameter("target", .text(64), "With 'hunks': 'target' of that diff, if it is to be compared too."),
    ]
    private static let cuts = [
        GitParameter("context", .integer(0...10_000), "Lines around each change; 3 by default."),
        GitParameter("limit", .integer(1...(360 << 10)), "The most bytes of all patches."),
        GitParameter("offset", .integer(0...(1 << 30)), "With 'path': the first byte of the patch."),
    ]
    private static let branch = GitParameter("branch", name, "The branch.")
    private static let force = GitParameter("force", .flag, "Even if something is lost.")
    private static let index = GitParameter("index", .integer(0...100_000), "Which stash; 0 is the latest.")
    private static let network = 150.0

    package static let all = reads + fileChanges + changes + branches + remotes

    private static let reads = [
        GitMethod("status", "What has changed, and the branch.", as: "GitStatus"),
        GitMethod("state", "The repository's state in a word.", as: "GitState"),
        GitMethod(
            "diff",
            "What differs, as patches: of one file, or of all.",
            .look,
            [
                path, pathBytes, GitParameter("staged", .flag, "Between HEAD and the index."),
                GitParameter("against", name, "Between this commit and the work tree."),
                GitParameter("fork", name, "Between where this branch parted and the work tree."),
                GitParameter("session", name, "What this session has changed since it began, by its id."),
            ] + cuts,
            as: "GitDiff"
        ),
        GitMethod(
            "log",
            "Commits, the newest first.",
            .look,
            [
                GitParameter("limit", .integer(1...200), "How many; 50 by default."),
                GitParameter("offset", .integer(0...100_000), "How many to skip.").also("skip"), branch, path,
                pathBytes,
                GitParameter("author", name, "Only of authors whose name or address contains this."),
                GitParameter("since", name, "Only later ones, as git takes dates."),
                GitParameter("until", name, "Only earlier ones, as git takes dates."),
                GitParameter("graph", .flag, "With the column of each commit."),
            ],
            as: "GitLog"
        ),
        GitMethod("branches", "The branches, also of remotes.", as: "GitBranches"),
        GitMethod(
            "show",
            "A commit and what it has changed.",
            .look,
            [GitParameter("commit", name, "A commit, a branch or a tag.").required, path, pathBytes]
                + cuts,
            as: "GitCommit"
        ),
        GitMethod("stash/list", "The stashes, the latest first.", as: "GitStashes"),
        GitMethod("remote/list", "The remotes. Passwords in addresses are left out.", as: "GitRemotes"),
        GitMethod("worktrees", "The work trees of the repository.", as: "GitWorktrees"),
    ]

    private static let fileChanges = [
        GitMethod("stage", "Stages files, or hunks of one.", .change, files, as: "GitDone"),
        GitMethod("unstage", "Unstages files, or hunks of one.", .change, files, as: "GitDone"),
        GitMethod(
            "discard",
            "Takes back what is not staged, and removes new files. 'undo' brings it back for 30 days.",
            .change,
            files,
            as: "GitDone"
        ),
        GitMethod(
            "undo",
            "Brings back what was discarded.",
            .change,
            [GitParameter("undo", .text(64), "The answer's 'undo' of the discard.").required],
            as: "GitDone"
        ),
    ]

    private static let changes = [
        GitMethod(
            "commit",
            "Commits what is staged.",
            .change,
            seconds: network,
            [
                GitParameter("message", .text(64 << 10), "The commit's message.").required,
                GitParameter("push", .flag, "Push the commit too."),
                GitParameter("amend", .flag, "Replace the latest commit."),
            ],
            as: "GitDone"
        ),
        GitMethod(
            "stash",
            "Puts changes aside.",
            .change,
            [
                GitParameter("message", .text(1024), "A description."),
                GitParameter("include_untracked", .flag, "New files too."),
            ],
            as: "GitDone"
        ),
        GitMethod("stash/apply", "Applies a stash.", .change, [index], as: "GitDone"),
        GitMethod("stash/pop", "Applies a stash and drops it.", .change, [index], as: "GitDone"),
        GitMethod("stash/drop", "Drops a stash.", .change, [index], as: "GitDone"),
        GitMethod(
            "merge",
            "Merges a branch.",
            .change,
            [
                branch.required, GitParameter("no_ff", .flag, "Always make a merge commit."),
                GitParameter("message", .text(64 << 10), "The merge commit's message."),
            ],
            as: "GitDone"
        ),
        GitMethod("merge/abort", "Takes a merge back that has not ended.", .change, as: "GitDone"),
        GitMethod(
            "init",
            "Makes a repository in the project's directory.",
            .change,
            [GitParameter("initial_branch", name, "The first branch; main by default.")],
            as: "GitDone"
        ),
    ]

    private static let branches = [
        GitMethod(
            "checkout",
            "Switches branches. A remote's branch becomes a local one that follows it.",
            .change,
            [branch.required, GitParameter("create", .flag, "Make the branch.")],
            as: "GitDone"
        ),
        GitMethod(
            "branch/create",
            "Makes a branch.",
            .change,
            [branch.required, GitParameter("from", name, "Where it begins; HEAD by default.")],
            as: "GitDone"
        ),
        GitMethod("branch/delete", "Deletes a branch.", .change, [branch.required, force], as: "GitDone"),
        GitMethod(
            "upstream/set",
            "Says which branch a branch follows.",
            .change,
            [branch, GitParameter("upstream", name, "Such as origin/main.").required],
            as: "GitDone"
        ),
    ]

    private static let remotes = [
        GitMethod(
            "push",
            "Pushes a branch. 'force' replaces only what was fetched before.",
            .change,
            seconds: network,
            [
                force, GitParameter("set_upstream", .flag, "Make the branch follow it."),
                GitParameter("remote", name, "The remote."), branch,
            ],
            as: "GitDone"
        ),
        GitMethod(
            "pull",
            "Fetches and merges what the branch follows.",
            .change,
            seconds: network,
            [GitParameter("rebase", .flag, "Rebase instead of merging.")],
            as: "GitDone"
        ),
        GitMethod(
            "fetch",
            "Fetches from a remote.",
            .change,
            seconds: network,
            [
                GitParameter("remote", name, "The remote."),
                GitParameter("prune", .flag, "Remove branches that the remote no longer has."),
            ],
            as: "GitDone"
        ),
        GitMethod(
            "remote/add",
            "Adds a remote.",
            .change,
            seconds: network,
            [
                GitParameter("name", name, "The remote's name.").required,
                GitParameter("url", .text(4096), "Its address.").required,
                GitParameter("fetch", .flag, "Fetch from it."),
            ],
            as: "GitDone"
        ),
        GitMethod(
            "remote/remove",
            "Removes a remote.",
            .change,
            [GitParameter("name", name, "The remote.").required],
            as: "GitDone"
        ),
    ]
}
