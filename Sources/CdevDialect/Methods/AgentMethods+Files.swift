import JSON
import RPC

/// cdev's methods that read files and search in them.
extension AgentMethods {
    private static let path = RPCParameter.text("path", "Within the workspace.", limit: 4096)
    private static let someWorkspace = RPCParameter.text("workspace_id", "The workspace.").also("workspaceId")
    private static let howMany = RPCParameter.integer("limit", 0...100_000, "How many.")

    static let files = [
        Absent("file/get", "A file's content.", [path.required]),
        Absent("file/list", "What a directory holds.", [path]),
        Absent(
            "workspace/file/get",
            "A file's content.",
            [.placeWorkspaceID, path.required, .integer("max_size_kb", 1...100_000, "Cut behind this.")]
        ),
        Absent(
            "workspace/files/list",
            "What a directory holds.",
            [
                .placeWorkspaceID, .anything("directory", "Which; the workspace's own where it is missing or empty."),
                howMany, .offset, .flag("include_hidden", "Files that begin with a dot, too."),
            ]
        ),
        Absent(
            "workspace/discover",
            "Looks for repositories on the machine.",
            [.anything("paths", "Where to look.")]
        ),
    ]

    static let repository = [
        Absent("repository/index/status", "How far the index of files is.", [someWorkspace]),
        Absent("repository/index/rebuild", "Makes the index of files anew.", [someWorkspace]),
        Absent("repository/stats", "How many files of which kind.", [someWorkspace]),
        Absent("repository/files/list", "Files of the index.", [someWorkspace, howMany, .offset]),
        Absent("repository/files/tree", "Files of the index as a tree.", [someWorkspace]),
        Absent(
            "repository/search",
            "Looks for files by name.",
            [
                .text("query", "Part of a name.", limit: 4096).required, someWorkspace,
                .text("mode", "fuzzy, exact, prefix or extension."), howMany, .offset,
                .anything("extensions", "Only files with these.").also("file_types"),
            ]
        ),
    ]
}
