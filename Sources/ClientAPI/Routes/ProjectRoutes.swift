internal import API
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Persistence
internal import Sessions

/// `/v1/projects`: directories found in events, and projects that a person created.
struct ProjectRoutes: Sendable {
    let database: any StoreAccess
    let eraser: ProjectEraser
    let directories: ProjectDirectories
    let clock: @Sendable () -> Timestamp

    private static let mostNames = 20
    /// The maximum wait in seconds for an erasure.
    private static let longestErasure = 600.0

    var routes: [Route] {
        [
            Route(.get, "/v1/projects", .read, handler: list)
                .described("Projects, the latest active first.", QueryParameter.paging + [.machine], as: "ProjectPage"),
            Route(.post, "/v1/projects", .administer, handler: create)
                .described(
                    "Makes a project, and its directory if it names none and a machine makes directories.",
                    body: "NewProject",
                    as: "Project",
                    faults: [409]
                ),
            Route(.get, "/v1/projects/{id}", .read, handler: project).described("One project.", as: "Project"),
            Route(.put, "/v1/projects/{id}", .administer, handler: change)
                .described("Changes what the body names.", body: "ProjectChange", as: "Project"),
            Route(.patch, "/v1/projects/{id}", .administer, handler: change)
                .described("Changes what the body names.", body: "ProjectChange", as: "Project"),
            Route(.delete, "/v1/projects/{id}", .administer, handler: delete).waiting(ProjectRoutes.wait).described(
                "Hides a project until its next event, or erases it with all that is stored of its sessions.",
                [.choice("erase", ["true", "false"], "Whether to erase it. Cannot be undone.")],
                as: "DeletedProject",
                faults: [409]
            ),
        ]
    }

    @Sendable private func list(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let now = clock()
        let paging = try Paging(request.query, path: "/v1/projects")
        var query = ProjectQuery(now: now, limit: paging.limit ?? 50)
        query.cursor = try ListCursor(paging)
        query.offset = paging.offset
        query.machine = try await database.machineFilter(request.query)
        let page = try await database.use { store throws(PersistenceError) in
            try await store.projects(query)
        }
        return ListAnswer(paging, request, at: now).response(
            "projects",
            latest: page.projects,
            of: Project.shape,
            hasMore: page.hasMore,
            total: page.total,
            cursor: { ListCursor(at: $0.lastActivityAt, id: $0.id) }
        )
    }

    @Sendable private func project(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        try await answer(id(request))
    }

    @Sendable private func create(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        var project = try ProjectBody(request.http.body).newProject()
        if project.path == nil, let principal = request.principal {
            let made = try await directories.directory(forProject: project.name, on: project.machine, by: principal)
            if let made { (project.machine, project.path) = (made.machine, made.path) }
        }
        let wanted = project
        let creation = try await database.use { store throws(PersistenceError) in
            try await store.createProject(wanted)
        }
        switch creation {
        case .created(let id): return try await answer(id)
        case .exists(let id):
            throw APIError(
                .conflict,
                status: 409,
                code: "project_exists",
                message: "This directory of this machine is the project \(id) already.",
                param: "path"
            )
        case .unknownMachine:
            throw .invalid("machine_not_found", "There is no machine of that name.", param: "machine_id")
        case .ambiguous(let machines):
            throw APIError(
                .conflict,
                status: 409,
                code: "ambiguous_machine",
                message: "Name the machine of this directory: \(ProjectRoutes.list(machines)).",
                param: "machine_id"
            )
        }
    }

    @Sendable private func change(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let change = try ProjectBody(request.http.body).change()
        let id = id(request)
        let isKnown = try await database.use { store throws(PersistenceError) in
            try await store.changeProject(id: id, change)
        }
        guard isKnown else { throw .projectNotFound }
        return try await answer(id)
    }

    @Sendable private func delete(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let id = id(request)
        if try ProjectRoutes.erases(request) { return try await erase(id, request.caller) }
        let isKnown = try await database.use { store throws(PersistenceError) in
            try await store.deleteProject(id: id)
        }
        guard isKnown else { throw .projectNotFound }
        return .json(ProjectRoutes.deleted, (id, nil))
    }

    private static func erases(_ request: RouteRequest) throws(APIError) -> Bool {
        try request.query.choice("erase", of: ["true", "false"]) == "true"
    }

    @Sendable private static func wait(_ request: RouteRequest) -> AnswerWait? {
        guard (try? erases(request)) == true else { return nil }
        let error = APIError.unavailable("erasure_takes_long", "The erasure goes on.", retryAfter: 60)
        return AnswerWait(seconds: longestErasure, overdue: error.response(requestID: request.http.requestID))
    }

    /// A session that goes on would be stored again, without its beginning.
    private func erase(_ id: String, _ caller: Caller) async throws(APIError) -> HTTPResponse {
        var query = SessionQuery(now: clock(), limit: 1)
        (query.workspaceID, query.isRunning, query.isArchived) = (id, true, nil)
        let (isKnown, running) = try await database.use { store throws(PersistenceError) in
            (try await store.hasProject(id: id), try await store.sessions(query).sessions.first)
        }
        guard isKnown else { throw .projectNotFound }
        if let running {
            throw APIError(
                .conflict,
                status: 409,
                code: "session_running",
                message: "The session \(running.id) of the project runs. Stop it first."
            )
        }
        return .json(ProjectRoutes.deleted, (id, try await eraser.erase(id, caller)))
    }

    /// The first twenty names, and how many more there are.
    private static func list(_ names: [String]) -> String {
        let rest = names.count - mostNames
        return names.prefix(mostNames).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }

    /// What became of a project.
    private enum End: String, CaseIterable { case deleted, erased }

    static let deleted = ObjectShape<(id: String, report: ErasureReport?)>("DeletedProject") { it in
        it.member("project_id") { $0.id }
        it.word("status") { $0.report == nil ? End.deleted : End.erased }
        it.member("sessions") { $0.report.map { Int64($0.sessions.count) } }
        it.member("events") { $0.report?.events }
        it.member("transcript_lines") { $0.report?.transcriptLines }
    }

    private func answer(_ id: String) async throws(APIError) -> HTTPResponse {
        let project = try await database.use { store throws(PersistenceError) in
            try await store.project(id: id, now: clock())
        }
        guard let project else { throw .projectNotFound }
        return .json(Project.shape, project)
    }

    private func id(_ request: RouteRequest) -> String { request.parameters["id"] ?? "" }
}
