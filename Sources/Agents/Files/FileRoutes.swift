internal import API
internal import HTTPModel
internal import JSON
internal import Signing

/// Files of machines: `/v1/machines/{id}/files`, `/v1/machines/{id}/file`, and cdev's name for a list.
struct FileRoutes: Sendable {
    let service: AgentService

    private static let path = QueryParameter(
        name: "path",
        schema: #"{"type":"string","minLength":1,"maxLength":4096,"pattern":"^/"}"#,
        summary: "The absolute path on the machine."
    )
    private static let pathBytes = QueryParameter.text(
        "path_b64",
        matching: "^[A-Za-z0-9+/_-]{2,8192}={0,2}$",
        "The path as Base64, in place of 'path', where its bytes are not UTF-8."
    )
    private static let faults = [404, 409, 413, 422, 429, 502, 503, 504]

    var routes: [Route] { [files, file, search, repositoryFiles] }

    private var files: Route {
        Route(.get, "/v1/machines/{id}/files", .read, handler: list).described {
            $0.saying(
                "A page of a directory. Needs 'respond' or 'control' on the machine.",
                [
                    FileRoutes.path, FileRoutes.pathBytes, .integer("limit", 1...1000, "How many; 200 by default."),
                    .text(
                        "cursor",
                        matching: "^[opdf][A-Za-z0-9_-]{0,400}$",
                        "The 'next_cursor' of the page before."
                    ),
                    .choice(
                        "git",
                        ["true", "false"],
                        "Whether git is asked what it ignores and knows. By default it is."
                    ),
                ],
                faults: FileRoutes.faults
            )
            .answering(200, "application/json", "FileList").notCached()
        }
    }

    private var file: Route {
        Route(.get, "/v1/machines/{id}/file", .read, handler: get).described {
            $0.saying(
                "A file, or a part of it. Needs 'respond' or 'control' on the machine.",
                [
                    FileRoutes.path, FileRoutes.pathBytes, .integer("offset", 0...Int64(1) << 53, "The first byte."),
                    .integer("limit", 1...AgentService.mostFileBytes, "The most bytes; 393216 by default."),
                    .choice("encoding", ["auto", "base64"], "Whether text is Base64 as well."),
                    .choice("content", ["true", "false"], "Whether the content is wanted, or only what the file is."),
                    .choice("raw", ["1", "true"], "The bytes themselves. Pictures have their type."),
                ],
                faults: FileRoutes.faults
            )
            .answering(200, "application/json", "MachineFile").answering(200, "application/octet-stream")
            .answering(200, "image/png").answering(200, "image/jpeg").answering(200, "image/gif")
            .answering(200, "image/webp").notCached()
        }
    }

    private var search: Route {
        Route(.get, "/v1/machines/{id}/files/search", .read, handler: find).described {
            $0.saying(
                "Looks for files below a directory. Leaves out what git ignores. Needs 'respond' or 'control' there.",
                [
                    FileRoutes.path, FileRoutes.pathBytes,
                    QueryParameter(
                        name: "query",
                        schema: #"{"type":"string","minLength":1,"maxLength":256}"#,
                        summary: "A part of the name, or a text in the files."
                    ),
                    .choice(
                        "mode",
                        ["fuzzy", "exact", "prefix", "extension", "content"],
                        "How names are compared; 'content' looks into the files."
                    ),
                    .choice("ignore_case", ["true", "false"], "With 'content': letters may be in either case."),
                    .integer("limit", 1...1000, "How many; 100 by default."),
                    .integer("offset", 0...100_000, "How many to skip."),
                ],
                faults: FileRoutes.faults
            )
            .answering(200, "application/json", "FileHits").notCached()
        }
    }

    private var repositoryFiles: Route {
        Route(.get, "/api/repository/files/list", .read, handler: listProject).described {
            $0.saying(
                "The files of a project's directory, as cdev lists them.",
                [
                    .text("workspace_id", "The project.").or("project_id"), .text("directory", "Below the project's."),
                    .integer("limit", 1...500, "How many."), .integer("offset", 0...1_000_000, "How many to skip."),
                ],
                faults: FileRoutes.faults
            )
            .answering(200, "application/json", "RepositoryFiles").notCached()
        }
    }

    // MARK: Handlers

    @Sendable private func list(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let (place, bytes) = try await place(request)
        let arguments: AgentService.Arguments = [
            ("limit", try request.query.integer("limit", in: 1...1000).map { .integer($0) }),
            ("cursor", request.query["cursor"].map { .string($0) }), ("git", .bool(request.query["git"] != "false")),
        ]
        let json = try await service.list(place, bytes + arguments, by: try request.responder())
        return .json(FileList.shape.json(FileList(json), reserving: 4096))
    }

    @Sendable private func get(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let (place, bytes) = try await place(request)
        let responder = try request.responder()
        let offset = try request.query.integer("offset", in: 0...Int64(1) << 53) ?? 0
        let limit = try request.query.integer("limit", in: 1...AgentService.mostFileBytes)
        if request.query["raw"] != nil {
            let (content, _) = try await service.bytes(of: place, bytes, from: offset, limit: limit, by: responder)
            return RawFile.response(content, path: place.path, isWhole: offset == 0)
        }
        let json =
            request.query["content"] == "false"
            ? try await service.facts(place, bytes, by: responder)
            : try await service.content(
                of: place,
                bytes,
                from: offset,
                limit: limit ?? AgentService.filePage,
                isBase64: request.query["encoding"] == "base64",
                by: responder
            )
        guard let file = MachineFile(json, named: "path") else { throw AgentRefusal.malformed }
        return .json(MachineFile.shape.json(file, reserving: 4096))
    }

    @Sendable private func find(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let (place, bytes) = try await place(request)
        guard let query = request.query["query"], !query.isEmpty else {
            throw .invalid("missing_parameter", "Name what to look for: 'query'.", param: "query")
        }
        let arguments: AgentService.Arguments = [
            ("query", .string(query)), ("mode", request.query["mode"].map { .string($0) }),
            ("ignore_case", request.query["ignore_case"] == "true" ? .bool(true) : nil),
            ("limit", try request.query.integer("limit", in: 1...1000).map { .integer($0) }),
            ("offset", try request.query.integer("offset", in: 0...100_000).map { .integer($0) }),
        ]
        let json = try await service.search(place, bytes + arguments, by: try request.responder())
        return .json(FileHits.shape.json(FileHits(json), reserving: 4096))
    }

    @Sendable private func listProject(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        guard let id = request.query["workspace_id"] ?? request.query["project_id"] else {
            throw .invalid("missing_parameter", "Name the project: 'workspace_id'.", param: "workspace_id")
        }
        let listing = RepositoryListing(
            directory: request.query["directory"] ?? "",
            limit: try request.query.integer("limit", in: 1...500) ?? 100,
            offset: try request.query.integer("offset", in: 0...1_000_000) ?? 0
        )
        return .json(try await service.files(listing, ofProject: id, by: try request.responder()))
    }

    /// The place that a request names, and the arguments that name it to the agent.
    private func place(_ request: RouteRequest) async throws(APIError) -> (WorkspacePlace, AgentService.Arguments) {
        let machine = request.parameters["id"] ?? ""
        if let text = request.query["path_b64"] {
            guard let bytes = Base64.decode(text), bytes.first == UInt8(ascii: "/") else {
                throw .invalid("invalid_parameter", "'path_b64' is not an absolute path.", param: "path_b64")
            }
            let shown = String(decoding: bytes, as: UTF8.self)
            return (try await service.place(onMachine: machine, path: shown), [("path_b64", .string(text))])
        }
        guard let path = request.query["path"] else {
            throw .invalid("missing_parameter", "Name the file or the directory: 'path'.", param: "path")
        }
        guard path.utf8.first == UInt8(ascii: "/"), path.utf8.count <= 4096, !path.utf8.contains(0) else {
            throw .invalid("invalid_parameter", "'path' must be an absolute path.", param: "path")
        }
        return (try await service.place(onMachine: machine, path: path), [])
    }

    static let schemas: [(SchemaName, String)] =
        FileList.shape.definitions + MachineFile.shape.definitions + FileHits.shape.definitions
        + RepositoryListing.shape.definitions
}
