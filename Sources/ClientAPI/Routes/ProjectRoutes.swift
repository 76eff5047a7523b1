internal import EventModel
internal import HTTPModel
internal import JSON

/// `/v1/projects`: directories that events told of, and projects that a person made.
struct ProjectRoutes: Sendable {
    let store: any ProjectStore
    let clock: @Sendable () -> Timestamp

    var routes: [Route] {
        [
            Route(.get, "/v1/projects", .read, handler: list)
                .described("Projects, the latest active first.", QueryParameter.paging + [.machine], as: "ProjectPage"),
            Route(.post, "/v1/projects", .administer, handler: create)
                .described("Makes a project.", body: "NewProject", as: "Project", faults: [409]),
            Route(.get, "/v1/projects/{id}", .read, handler: project).described("One project.", as: "Project"),
            Route(.put, "/v1/projects/{id}", .administer, handler: change)
                .described("Changes what the body names.", body: "ProjectChange", as: "Project"),
            Route(.patch, "/v1/projects/{id}", .administer, handler: change)
                .described("Changes what the body names.", body: "ProjectChange", as: "Project"),
            Route(.delete, "/v1/projects/{id}", .administer, handler: delete)
                .described("Hides a project until its next event.", as: "DeletedProject"),
        ]
    }

    @Sendable private func list(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let paging = try Paging(request.query, path: "/v1/projects")
        var query = ProjectQuery(now: clock(), limit: paging.limit)
        query.cursor = paging.cursor
        query.offset = paging.offset
        query.machine = try await store.machineFilter(request.query)
        let page = try await store.projects(query)

        var list = JSONWriter(reserving: 512 * (page.projects.count + 1))
        list.beginArray()
        for project in page.projects { project.write(to: &list) }
        list.endArray()
        var writer = JSONWriter(reserving: 2 * list.bytes.count + 256)
        writer.beginObject()
        writer.field("object", "list")
        writer.field("projects", json: list.bytes)
        writer.field("data", json: list.bytes)
        let last = page.projects.last.map { ActivityCursor(lastActivityAt: $0.lastActivityAt, id: $0.id) }
        let origin = ListOrigin(requestID: request.http.requestID, time: clock())
        let passing = paging.write(last: last, hasMore: page.hasMore, total: page.total, origin, to: &writer)
        writer.endObject()
        var response = HTTPResponse.json(writer.bytes)
        response.passing = passing
        return response
    }

    @Sendable private func project(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        try await answer(id(request))
    }

    @Sendable private func create(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let project = try ProjectBody(request.http.body).newProject()
        switch try await store.createProject(project) {
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
        }
    }

    @Sendable private func change(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let change = try ProjectBody(request.http.body).change()
        let id = id(request)
        guard try await store.changeProject(id: id, change) else { throw ProjectRoutes.unknown }
        return try await answer(id)
    }

    @Sendable private func delete(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let id = id(request)
        guard try await store.deleteProject(id: id) else { throw ProjectRoutes.unknown }
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("project_id", id)
        writer.field("status", "deleted")
        writer.endObject()
        return .json(writer.bytes)
    }

    private func answer(_ id: String) async throws(APIError) -> HTTPResponse {
        guard let project = try await store.project(id: id, now: clock()) else { throw ProjectRoutes.unknown }
        var writer = JSONWriter(reserving: 512)
        project.write(to: &writer)
        return .json(writer.bytes)
    }

    private func id(_ request: RouteRequest) -> String { request.parameters["id"] ?? "" }

    private static var unknown: APIError { .notFound("project_not_found", "There is no project of that id.") }
}
