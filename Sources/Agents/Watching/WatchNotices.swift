package import EventModel
package import JSON
internal import RPC

/// Files of a workspace that have changed, as an agent says.
package struct AgentFileChanges: Sendable {
    package let workspaceID: String
    /// The workspace's directory, as the server named it.
    package let directory: String
    /// Each with `path` below the directory, `change` and more.
    package let changes: [JSONValue]
    /// There are more changes than these.
    package let isCut: Bool
    /// When the first and the last of the changes happened, by the machine's clock.
    package let from: Timestamp
    package let to: Timestamp

    private static let mostChanges = 1000
    private static let kinds: Set<String> = ["created", "modified", "deleted", "renamed"]
    private static let names: Set<String> = [
        "path", "path_b64", "old_path", "old_path_b64", "change", "is_directory", "size", "is_secret",
    ]

    init(_ params: RPCParams) throws(RPCError) {
        workspaceID = try params.required("workspace_id")
        directory = try params.required("directory", limit: 4096)
        changes = (params.value("changes")?.array ?? []).prefix(AgentFileChanges.mostChanges)
            .compactMap(AgentFileChanges.checked)
        isCut = try params.boolean("is_cut") ?? false
        guard let from = Timestamp(rfc3339: try params.required("from")),
            let to = Timestamp(rfc3339: try params.required("to"))
        else { throw .invalidParameter("from", "is not a time") }
        (self.from, self.to) = (from, to)
    }

    /// The change with the members that clients know. The server adds who made it.
    private static func checked(_ change: JSONValue) -> JSONValue? {
        guard case .object(let members) = change, isRelative(change["path"]),
            change["old_path"].map(isRelative) ?? true, let kind = change["change"]?.string, kinds.contains(kind)
        else { return nil }
        return .object(members.filter { names.contains($0.0) })
    }

    private static func isRelative(_ path: JSONValue?) -> Bool {
        guard let parts = path?.string?.split(separator: "/", omittingEmptySubsequences: false) else { return false }
        return parts.allSatisfy { !$0.isEmpty && $0 != ".." }
    }
}

/// The state of a workspace's repository, as an agent says.
package struct AgentGitChange: Sendable {
    package let workspaceID: String
    package let state: GitTracker.State
    package let status: JSONValue?
    package let error: String

    init(_ params: RPCParams) throws(RPCError) {
        workspaceID = try params.required("workspace_id")
        guard let state = GitTracker.State(rawValue: try params.required("state")) else {
            throw .invalidParameter("state", "is not a known state")
        }
        self.state = state
        let status = params.value("status")
        guard status?.isObject ?? true else { throw .invalidParameter("status", "is not an object") }
        self.status = status
        error = params.value("error")?.string ?? ""
    }
}

/// How an agent watches a workspace.
package struct AgentWatchState: Sendable {
    package let workspaceID: String
    /// `files` or `git`.
    package let part: String
    /// `events`, `polling` or `off`.
    package let mode: String
    package let reason: String?

    init(_ params: RPCParams) throws(RPCError) {
        workspaceID = try params.required("workspace_id")
        part = try params.required("part", limit: 16)
        mode = try params.required("mode", limit: 16)
        reason = try params.string("reason", limit: 200)
        guard ["files", "git"].contains(part), ["events", "polling", "off"].contains(mode) else {
            throw .invalidParameter("mode", "is unknown")
        }
    }
}
