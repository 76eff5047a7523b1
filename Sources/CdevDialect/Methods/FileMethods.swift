package import EventModel
import JSON
import RPC
import WSFanout

/// A call about the files of a workspace, with its caller.
package struct RPCFileCall: Sendable, Equatable {
    package enum Request: Sendable, Equatable {
        case list(directory: String, limit: Int64, offset: Int64, includesHidden: Bool)
        /// - Parameter limit: bytes.
        case get(path: String, limit: Int64)
        /// - Parameter extensions: of the files that count; all if empty.
        case search(query: String, mode: String, extensions: [String], limit: Int64, offset: Int64)
    }

    /// The owner of the WebSocket.
    package var principal: Principal
    package var method: String
    package var workspaceID: String
    package var request: Request
}

/// The methods that list, read and search files on a machine whose agent is connected: `workspace/files/list`,
/// `workspace/file/get` and `repository/search`, also under cdev's older names.
enum FileMethods {
    static let all = [
        list("workspace/files/list", directory: "directory", in: .placeWorkspaceID),
        list("repository/files/list", directory: "directory", in: chosenWorkspace),
        list("file/list", directory: "path", in: chosenWorkspace),
        get("workspace/file/get", in: .placeWorkspaceID),
        get("file/get", in: chosenWorkspace),
        ask(
            "repository/search",
            "Looks for files of the workspace by name. Leaves out what git ignores.",
            [
                .text("query", "Part of a name.", limit: 1024).required,
                .choice("mode", ["fuzzy", "exact", "prefix", "extension"], "How names are compared."),
                .texts("extensions", 0...32, "Only files with these extensions.").also("file_types"),
                .integer("limit", 1...100_000, "How many; 500 at most, 50 by default."), .offset,
            ],
            as: "RepositorySearch",
            in: chosenWorkspace
        ) { params throws(RPCError) in
            let extensions = try params.strings("extensions", count: 0...32)
            let types = try params.strings("file_types", count: 0...32)
            return .search(
                query: try params.required("query", limit: 1024),
                mode: try params.string("mode") ?? "fuzzy",
                extensions: extensions ?? types ?? [],
                limit: min(500, try params.integer("limit", in: 1...100_000) ?? 50),
                offset: min(100_000, try params.integer("offset", in: 0...Int64(Int32.max)) ?? 0)
            )
        },
    ]

    /// cdev's own server knows one repository, so its clients do not name it.
    private static let chosenWorkspace = RPCParameter.text(
        "workspace_id",
        "By default the one that the client chose last."
    ).also("workspaceId")

    /// - Parameter name: of the parameter for the directory.
    private static func list(
        _ method: String,
        directory name: String,
        in workspace: RPCParameter
    ) -> CdevMethod {
        ask(
            method,
            "A page of a directory of the workspace.",
            [
                .anything(name, "Below the workspace's own, which is the default."),
                .integer("limit", 1...100_000, "How many; 500 at most, 100 by default."), .offset,
                .flag("include_hidden", "Whether files that begin with a dot are listed. By default they are."),
            ],
            as: "RepositoryFiles",
            in: workspace
        ) { params throws(RPCError) in
            .list(
                directory: try directory(params, name),
                limit: min(500, try params.integer("limit", in: 1...100_000) ?? 100),
                offset: try params.integer("offset", in: 0...Int64(Int32.max)) ?? 0,
                includesHidden: try params.boolean("include_hidden") ?? true
            )
        }
    }

    private static func get(_ method: String, in workspace: RPCParameter) -> CdevMethod {
        ask(
            method,
            "A file of the workspace. Longer content is cut; REST has the rest.",
            [path, .integer("max_size_kb", 1...100_000, "Longer content is cut. 384 at most.")],
            as: "WorkspaceFile",
            in: workspace
        ) { params throws(RPCError) in
            let size = min(mostKilobytes, try params.integer("max_size_kb", in: 1...100_000) ?? mostKilobytes)
            return .get(path: try params.required("path", limit: 4096), limit: size << 10)
        }
    }

    private static let path = RPCParameter.text("path", "Below the workspace's directory.", limit: 4096).required
    /// What a message to a client has room for.
    private static let mostKilobytes: Int64 = 384

    private static func ask(
        _ method: String,
        _ summary: String,
        _ parameters: [RPCParameter],
        as result: SchemaName,
        in workspace: RPCParameter,
        _ request: @escaping @Sendable (RPCParams) throws(RPCError) -> RPCFileCall.Request
    ) -> CdevMethod {
        let description = RPCDescription(
            summary,
            [workspace] + parameters,
            as: result,
            errors: [.agentNotConfigured, .notAllowed, .fileNotFound, .outsideRoots]
        )
        return CdevMethod.query(
            method,
            description,
            run: { call async throws(RPCError) in
                guard call.context.hasAgents else { throw .agentNotConfigured(method) }
                let named = try call.params.first(of: "workspace_id", "workspaceId")
                let chosen = call.context.presence.chosen(by: call.state.clientID)?.workspaceID
                guard let workspaceID = named ?? (workspace.isRequired ? nil : chosen) else {
                    throw .notReachable("Name the workspace: 'workspace_id'", method, sessionID: nil)
                }
                let file = RPCFileCall(
                    principal: call.context.principal,
                    method: method,
                    workspaceID: workspaceID,
                    request: try request(call.params)
                )
                let answer = try await call.services.files(file)
                return RPCAnswer(.object { $0.raw(answer) })
            }
        )
    }

    /// An empty text is the workspace's own directory.
    private static func directory(_ params: RPCParams, _ name: String) throws(RPCError) -> String {
        guard let value = params.value(name), value != .string("") else { return "" }
        return try params.required(name, limit: 4096)
    }
}

extension JSONSchema {
    /// The results of the methods of files, which the machine's agent makes.
    static let fileAnswers: [(SchemaName, String)] = [
        (
            "RepositoryFiles",
            object([
                "directory": text,
                "directories": array(
                    object([
                        "path": text, "name": text, "file_count": count, "total_size_bytes": count,
                        "last_modified?": time,
                    ])
                ),
                "files": array(
                    object([
                        "path": text, "name": text, "directory": text, "extension": text, "size_bytes": count,
                        "modified_at?": time, "is_binary": flag, "is_symlink": flag, "is_sensitive": flag,
                        "git_tracked": flag, "git_ignored": flag,
                    ])
                ),
                "total_files": count, "total_directories": count,
                "pagination": object(["limit": count, "offset": count, "has_more": flag]),
            ])
        ),
        (
            "WorkspaceFile",
            object([
                "path": text, "content": text, "encoding": words("utf-8", "base64"), "truncated": flag, "size": count,
                "total_size": count,
            ])
        ),
        (
            "RepositorySearch",
            object([
                "query": text, "mode": words("fuzzy", "exact", "prefix", "extension"),
                "results": array(
                    object([
                        "path": text, "name": text, "directory": text, "extension": text, "size_bytes": count,
                        "modified_at?": time, "match_score": number, "is_sensitive": flag,
                    ])
                ),
                "total": count, "elapsed_ms": count, "has_more": flag,
            ])
        ),
    ]
}
