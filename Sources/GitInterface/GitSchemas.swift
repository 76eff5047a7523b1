package import JSON

/// The answers of git's methods. Machines' agents make them.
extension GitMethod {
    private static let text = JSONSchema.text
    private static let flag = JSONSchema.flag
    private static let count = JSONSchema.count

    package static let schemas: [(SchemaName, String)] = [
        ("GitFile", file), ("GitStatus", status), ("GitState", state), ("GitPatch", patch), ("GitDiff", diff),
        ("GitLogEntry", entry), ("GitLog", log), ("GitBranches", branchList), ("GitCommit", commit),
        ("GitStashes", stashes), ("GitRemotes", remoteList), ("GitWorktrees", worktrees), ("GitDone", done),
    ]

    private static let file = JSONSchema.object([
        "path": text, "path_b64?": text, "old_path?": text, "status": text, "additions?": count, "deletions?": count,
        "is_binary?": flag, "is_sensitive?": flag, "conflict?": text,
    ])

    private static let states = JSONSchema.words(
        "no_git",
        "git_init",
        "no_remote",
        "no_push",
        "synced",
        "diverged",
        "conflict"
    )

    private static let status = JSONSchema.object([
        "branch": text, "is_detached": flag, "head": text, "upstream": text, "ahead": count, "behind": count,
        "staged": JSONSchema.list("GitFile"), "unstaged": JSONSchema.list("GitFile"),
        "untracked": JSONSchema.list("GitFile"), "conflicted": JSONSchema.list("GitFile"), "has_conflicts": flag,
        "is_git_repo": flag, "has_commits": flag, "state": states, "operation": text, "remotes": JSONSchema.texts,
        "is_trusted": flag, "is_clean?": flag, "is_bare?": flag, "is_truncated?": flag, "repo_name": text,
        "repo_root": text,
    ])

    private static let state = JSONSchema.object([
        "state": states, "is_git_repo": flag, "has_remote": flag, "has_upstream": flag, "branch": text,
        "remote": text, "upstream": text, "ahead": count, "behind": count, "has_conflicts": flag,
        "has_commits": flag, "operation": text, "is_trusted": flag,
    ])

    private static let patch = JSONSchema.object([
        "path": text, "path_b64?": text, "old_path?": text, "diff": text, "is_staged": flag, "is_new": flag,
        "is_truncated": flag, "status?": text, "is_deleted?": flag, "is_binary?": flag, "is_conflicted?": flag,
        "is_sensitive?": flag, "old_mode?": text, "new_mode?": text, "base?": text, "target?": text,
        "additions?": count, "deletions?": count, "next_offset?": count,
    ])

    /// One patch if a file was named, else a list of them.
    private static let diff = JSONSchema.either([
        SchemaName(stringLiteral: "GitPatch").reference,
        JSONSchema.object([
            "diffs": JSONSchema.list("GitPatch"), "total_files": count, "is_truncated": flag, "is_staged": flag,
        ]),
    ])

    private static let line = JSONSchema.object([
        "from_column": count, "to_column": count,
        "type": JSONSchema.words("straight", "merge_left", "merge_right", "branch_left", "branch_right"),
    ])

    private static let entry = JSONSchema.object([
        "sha": text, "short_sha": text, "subject": text, "author": text, "author_email": text,
        "date": JSONSchema.time, "relative_date": text, "parent_shas": JSONSchema.texts, "is_merge": flag,
        "refs": JSONSchema.array(
            JSONSchema.object([
                "name": text, "type": JSONSchema.words("head", "local_branch", "remote_branch", "tag"),
            ])
        ),
        "graph_position?": JSONSchema.object(["column": count, "lines": JSONSchema.array(line)]),
    ])

    private static let log = JSONSchema.object([
        "commits": JSONSchema.list("GitLogEntry"), "has_more": flag, "total_count?": count, "max_columns?": count,
    ])

    private static let commit = JSONSchema.all(
        of: SchemaName(stringLiteral: "GitLogEntry").reference,
        JSONSchema.object([
            "body": text, "diffs": JSONSchema.list("GitPatch"), "total_files": count, "is_truncated": flag,
        ])
    )

    private static let branchList = JSONSchema.object([
        "current": text, "is_detached": flag, "upstream": text, "ahead": count, "behind": count,
        "branches": JSONSchema.array(
            JSONSchema.object([
                "name": text, "is_current": flag, "is_remote": flag, "sha": text, "upstream?": text, "ahead?": count,
                "behind?": count, "is_gone?": flag,
            ])
        ),
        "is_truncated": flag,
    ])

    private static let stashes = JSONSchema.object([
        "stashes": JSONSchema.array(
            JSONSchema.object(["index": count, "sha": text, "date": text, "branch": text, "message": text])
        ),
        "count": count,
    ])

    private static let remoteList = JSONSchema.object([
        "remotes": JSONSchema.array(
            JSONSchema.object([
                "name": text, "fetch_url": text, "push_url": text, "tracking_branches": JSONSchema.texts,
            ])
        )
    ])

    private static let worktrees = JSONSchema.object([
        "worktrees": JSONSchema.array(
            JSONSchema.object([
                "path": text, "branch": text, "is_current": flag, "sha?": text, "is_bare?": flag, "is_locked?": flag,
            ])
        )
    ])

    private static let done = JSONSchema.object([
        "success": flag, "message?": text, "error?": text, "staged?": JSONSchema.texts, "unstaged?": JSONSchema.texts,
        "discarded?": JSONSchema.texts, "restored?": JSONSchema.texts, "staged_count?": count,
        "unstaged_count?": count, "discarded_count?": count, "restored_count?": count, "undo?": text, "sha?": text,
        "commit_hash?": text, "files_committed?": count, "pushed?": flag, "push_error?": text,
        "commits_pushed?": count, "commits_pulled?": count, "files_changed?": count,
        "conflicted_files?": JSONSchema.texts, "branch?": text, "upstream?": text, "new_commits?": count,
        "new_branches?": JSONSchema.texts, "pruned_branches?": JSONSchema.texts, "deleted_remote?": flag,
        "index?": count, "fetch_error?": text,
    ])
}
