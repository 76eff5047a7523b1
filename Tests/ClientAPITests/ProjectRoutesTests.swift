import APISamples
import DatabaseSamples
import EventModel
import JSON
import Testing

@Suite("Projects")
struct ProjectRoutesTests {
    private static let details = #""description":"later","path":"/srv/a","machine_id":"studio","settings":{"a":[1]}"#

    /// One project of each machine, the latest active first, and one that a person made long ago.
    private func makeProjects() async throws -> TestStore {
        let store = try TestStore()
        let (studio, laptop) = (try store.database.makeMachine(), try store.database.makeMachine("laptop"))
        var events = [Sample.event(1, "s1"), Sample.event(2, "s2", after: -60)]
        (events[0].machine, events[0].projectPath) = (studio, "/home/dev/a")
        (events[1].machine, events[1].projectPath, events[1].reportedMachineName) = (laptop, "/home/dev/b", "box")
        try await store.append(events)
        _ = try await store.routes.ask(.post, "/v1/projects", body: #"{"name":"c"}"#)
        try store.database.execute("UPDATE workspaces SET last_activity_at = '2020-01-01' WHERE name = 'c'")
        return store
    }

    private func names(_ page: JSONValue) -> [String]? {
        page["projects"]?.array?.compactMap { $0["name"]?.string }
    }

    @Test("projects page by number with meta and links, or by cursor")
    func list() async throws {
        let routes = try await makeProjects().routes
        let (status, numbered) = try await routes.get("/v1/projects", "page=1&per_page=2")
        #expect(status == 200)
        #expect(names(numbered) == ["a", "b"])
        #expect(numbered["data"] == numbered["projects"])
        #expect(numbered["pagination"]?["total_items"] == .integer(3))
        #expect(numbered["links"]?["next"] == .string("/v1/projects?page=2&per_page=2"))
        let first = try await routes.get("/v1/projects", "limit=2").body
        let cursor = try #require(first["next_cursor"]?.string)
        let last = try #require(first["projects"]?.array?.last?["id"]?.string)
        #expect(cursor == "\(Sample.time.adding(seconds: -60).microseconds)~\(last)")
        let second = try await routes.get("/v1/projects", "limit=2&cursor=\(cursor)").body
        #expect(names(second) == ["c"])
        #expect(second["projects"]?.array?.first?["path"] == .null)
        #expect(names(try await routes.get("/v1/projects", "machine_id=studio").body) == ["a"])
        #expect(names(try await routes.get("/v1/projects", "machine=box").body) == ["b"])
    }

    @Test("a project is made and answered whole")
    func create() async throws {
        let store = try await Sample.store()
        let routes = store.routes
        let machine = try #require(try await store.machine(named: "studio"))
        let body =
            #"{"name":"App","description":"","path":"/srv/app","machine_id":"studio","settings":{"a":[1]},"x":1}"#
        let (status, project) = try await routes.ask(.post, "/v1/projects", body: body)
        #expect(status == 200)
        #expect(project["name"] == .string("App"))
        let id = try #require(project["id"]?.string)
        #expect(id == WorkspaceID.make(machine: machine, path: "/srv/app"))
        #expect(project["description"] == nil)
        #expect(project["path"] == .string("/srv/app"))
        #expect(project["machine_id"] == .string("studio"))
        #expect(project["settings"] == .object([("a", .array([.integer(1)]))]))
        #expect(try await routes.get("/v1/projects/\(id)").body == project)
        let elsewhere = try await routes.ask(.post, "/v1/projects", body: #"{"name":"Idea"}"#).body
        #expect(elsewhere["id"]?.string?.wholeMatch(of: /ws-[0-9a-f]{16}/) != nil)
    }

    @Test(
        "what cannot be a project is named",
        arguments: [
            ("", 400, JSONValue.null), ("[]", 400, .null), ("{}", 400, .string("name")),
            (#"{"name":" "}"#, 400, .string("name")), (#"{"name":7}"#, 400, .string("name")),
            (#"{"name":"a","path":{}}"#, 400, .string("path")),
            (#"{"name":"a","settings":[]}"#, 400, .string("settings")),
            (#"{"name":"a","description":7}"#, 400, .string("description")),
            (#"{"name":"a","machine_id":"nowhere"}"#, 400, .string("machine_id")),
            (#"{"name":"a","path":"/home/dev/project","machine_id":"studio"}"#, 409, .string("path")),
        ]
    )
    func refused(body: String, status: Int, param: JSONValue) async throws {
        let routes = try await Sample.store([Sample.event(1)]).routes
        let (found, error) = try await routes.ask(.post, "/v1/projects", body: body)
        #expect(found == status)
        #expect(error["param"] == param)
    }

    @Test("a change sets what it names, null clears, the directory stays")
    func change() async throws {
        let routes = try await Sample.store().routes
        let body = #"{"name":"a","# + ProjectRoutesTests.details + "}"
        let made = try await routes.ask(.post, "/v1/projects", body: body).body
        let path = "/v1/projects/\(try #require(made["id"]?.string))"
        #expect(made["description"] == .string("later"))
        let (status, cleared) = try await routes.ask(.put, path, body: #"{"description":null}"#)
        #expect(status == 200)
        #expect(cleared["description"] == nil)
        for kept in ["name", "path", "machine_id", "settings"] { #expect(cleared[kept] == made[kept]) }
        _ = try await routes.ask(.patch, path, body: #"{"description":"soon"}"#)
        let (patched, renamed) = try await routes.ask(.patch, path, body: #"{"name":"b","settings":{}}"#)
        #expect(patched == 200)
        #expect(renamed["name"] == .string("b"))
        #expect(renamed["settings"] == .object([]))
        #expect(renamed["description"] == .string("soon"))
        #expect(try await routes.ask(.put, path, body: #"{"path":"/b"}"#).status == 400)
        #expect(try await routes.get(path).body["path"] == .string("/srv/a"))
        #expect(try await routes.ask(.put, "/v1/projects/ws-9", body: "{}").status == 404)
    }

    @Test("a deleted project is gone")
    func delete() async throws {
        let routes = try await Sample.store([Sample.event(1)]).routes
        let id = try #require(try await routes.get("/v1/projects").body["projects"]?.array?.first?["id"]?.string)
        let (status, answer) = try await routes.ask(.delete, "/v1/projects/\(id)")
        #expect(status == 200)
        #expect(answer["project_id"] == .string(id))
        #expect(answer["status"] == .string("deleted"))
        let gone = [try await routes.get("/v1/projects/\(id)"), try await routes.ask(.delete, "/v1/projects/\(id)")]
        for (status, error) in gone {
            #expect(status == 404)
            #expect(error["code"] == .string("project_not_found"))
        }
    }
}
