import JSON
import RPC
import WSFanout

/// `workspace/watch` and `workspace/unwatch`. They make the changes of a workspace come to this socket, without
/// narrowing its stream as `workspace/subscribe` does.
enum WatchMethods {
    static let all = [watch, unwatch]

    private typealias Answer = (workspaceID: String, parts: WorkspaceParts)

    private static let shape = ObjectShape<Answer>("WorkspaceWatch") { it in
        it.member("success") { _ in true }
        it.member("workspace_id") { $0.workspaceID }
        it.member("files") { $0.parts.contains(.files) }
        it.member("git") { $0.parts.contains(.git) }
    }

    static let watch = CdevMethod.immediate(
        "workspace/watch",
        "Sends file_changed and git_status_changed of this workspace; the stream stays as it is.",
        [
            .workspaceID, .flag("files", "Whether changes of files are sent; usually true."),
            .flag("git", "Whether changes of the repository's state are sent; usually true."),
        ],
        as: shape
    ) { call throws(RPCError) in
        let id = try call.params.workspaceID()
        var parts = WorkspaceParts()
        if try call.params.boolean("files") ?? true { parts.insert(.files) }
        if try call.params.boolean("git") ?? true { parts.insert(.git) }
        try call.stream.watch(id, !parts.isEmpty)
        call.act(.follow(workspace: id, parts))
        return (id, parts)
    }

    static let unwatch = CdevMethod.immediate(
        "workspace/unwatch",
        "Ends what workspace/watch began.",
        [.workspaceID],
        as: shape
    ) { call throws(RPCError) in
        let id = try call.params.workspaceID()
        try call.stream.watch(id, false)
        call.act(.follow(workspace: id, []))
        return (id, [])
    }
}
