internal import API
internal import HTTPModel
internal import JSON

/// `GET /v1/sessions/{id}/changes`: what a session has changed.
struct ChangeRoutes: Sendable {
    let service: AgentService

    private static let faults = [404, 409, 413, 422, 429, 502, 503, 504]
    private static let parameters: [QueryParameter] = [
        .integer("limit", 1...ChangeRequest.mostFiles, "How many files; 200 by default."),
        .text("cursor", matching: "^[0-9a-f]{16}[.][0-9]{1,7}$", "The 'next_cursor' of the page before."),
        .text("path", "Only this file, below the repository's root, with its hunks."),
        .text(
            "path_b64",
            matching: "^[A-Za-z0-9+/_-]{2,8192}={0,2}$",
            "The path as Base64, in place of 'path', where its bytes are not UTF-8."
        ),
        .choice("hunks", ["true", "false"], "With the hunks of all files, as far as there is room."),
        .choice(
            "at",
            ["now", "stop"],
            "The work tree now, or at the last stop. A session that has ended has only that."
        ),
        .text("end", matching: "^[0-9a-f]{16}$", "'end.id' of an answer: so that several answers belong together."),
        .integer("context", 0...ChangeRequest.mostContext, "Lines around each change; 3 by default."),
        .integer("offset", 0...(1 << 30), "With 'path': 'next_offset' of the answer before."),
        .choice("format", ["json", "patch"], "With 'patch': the patches as one text."),
    ]

    var routes: [Route] {
        [
            Route(.get, "/v1/sessions/{id}/changes", .read, handler: changes)
                .waiting { request in
                    AnswerWait(
                        seconds: AgentService.changeSeconds + 5,
                        overdue: AgentRefusal.silent.response(requestID: request.http.requestID)
                    )
                }
                .described {
                    $0.saying(
                        "What a session has changed since it began. Hunks and patches need 'respond' or 'control' "
                            + "on the machine.",
                        ChangeRoutes.parameters,
                        faults: ChangeRoutes.faults
                    )
                    .answering(200, "application/json", "SessionChanges").answering(200, "text/x-diff").notCached()
                }
        ]
    }

    @Sendable private func changes(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let id = request.parameters["id"] ?? ""
        let asked = try ChangeRequest(request)
        let responder = try request.responder()
        guard !asked.isPatch else {
            let text = try await service.patch(asked, of: id, by: responder)
            return HTTPResponse(
                status: 200,
                headers: [("content-type", "text/x-diff; charset=utf-8"), ("x-content-type-options", "nosniff")],
                body: Array(text.utf8)
            )
        }
        var writer = JSONWriter(reserving: 4096)
        writer.value(try await service.changes(asked, of: id, by: responder))
        return .json(writer.bytes)
    }

    // MARK: Schemas

    static let schemas: [(SchemaName, String)] = [("ChangedFile", file), ("SessionChanges", set)]

    private static let optional = JSONSchema.nullable(JSONSchema.text)
    private static let count = JSONSchema.count

    private static let file = JSONSchema.object([
        "path": JSONSchema.text, "path_b64?": JSONSchema.text, "old_path?": JSONSchema.text,
        "old_path_b64?": JSONSchema.text, "status": JSONSchema.words("added", "modified", "deleted", "renamed"),
        "additions": JSONSchema.nullable(count), "deletions": JSONSchema.nullable(count), "binary": JSONSchema.flag,
        "old_mode": optional, "new_mode": optional,
        "by": JSONSchema.choice(ChangeAuthors.Author.allCases.map(\.rawValue)), "is_sensitive?": JSONSchema.flag,
        "is_submodule?": JSONSchema.flag, "is_symlink?": JSONSchema.flag, "is_unsaved?": JSONSchema.flag,
        "header?": JSONSchema.text, "hunks?": JSONSchema.texts, "is_truncated?": JSONSchema.flag,
        "next_offset?": JSONSchema.nullable(count),
    ])

    private static let base = JSONSchema.object([
        "taken_at": JSONSchema.time, "session_started_at": JSONSchema.nullable(JSONSchema.time),
        "is_late": JSONSchema.flag, "branch": optional, "commit": optional,
    ])

    private static let end = JSONSchema.object([
        "id": JSONSchema.text, "taken_at": JSONSchema.time, "at": JSONSchema.words("now", "stop"), "branch": optional,
        "commit": optional,
    ])

    private static let reasons = JSONSchema.words(
        "not_a_repository",
        "no_baseline",
        "baseline_late",
        "pruned_objects",
        "untracked_too_large",
        "too_many_files",
        "timed_out",
        "git_failed"
    )

    private static let set = JSONSchema.object([
        "session_id": JSONSchema.text, "repo_root": optional, "base": JSONSchema.nullable(base),
        "end": JSONSchema.nullable(end), "complete": JSONSchema.flag, "reason": JSONSchema.nullable(reasons),
        "totals": JSONSchema.object([
            "files": count, "added": count, "modified": count, "deleted": count, "renamed": count,
            "additions": count, "deletions": count, "binary": count,
        ]),
        "files": JSONSchema.list("ChangedFile"), "has_more": JSONSchema.flag, "next_cursor": optional,
        "is_last_known?": JSONSchema.flag, "age_seconds?": count,
    ])
}
