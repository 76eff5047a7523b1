import ClientAPI
import EventModel
import HTTPModel
import JSON
import Testing

@Suite("Projects")
struct ProjectRoutesTests {
    @Test("projects page by number with meta and links, or by cursor")
    func list() async throws {
        let store = FakeStore(projects: ["ws-1", "ws-2", "ws-3"].map { Sample.project($0) })
        let (status, numbered) = try await ask(.get, "/v1/projects", query: "page=1&per_page=2", store: store)
        #expect(status == 200)
        #expect(numbered["projects"]?.array?.compactMap { $0["id"]?.string } == ["ws-1", "ws-2"])
        #expect(numbered["data"] == numbered["projects"])
        #expect(numbered["pagination"]?["total_items"] == .integer(3))
        #expect(numbered["projects"]?.array?.allSatisfy { $0["path"] != nil } == true)
        #expect(numbered["links"]?["next"] == .string("/v1/projects?page=2&per_page=2"))
        let (_, first) = try await ask(.get, "/v1/projects", query: "limit=2&machine_id=studio", store: store)
        let cursor = try #require(first["next_cursor"]?.string)
        #expect(await store.lastProjectQuery?.machine == .machine(MachineID(rawValue: 7)))
        _ = try await ask(.get, "/v1/projects", query: "machine=box", store: store)
        #expect(await store.lastProjectQuery?.machine == .reported("box"))
        _ = try await ask(.get, "/v1/projects", query: "limit=2&cursor=\(cursor)", store: store)
        #expect(await store.lastProjectQuery?.cursor == .init(lastActivityAt: Sample.time, id: "ws-2"))
    }

    @Test("a project is made and answered whole")
    func create() async throws {
        let store = FakeStore()
        let body =
            #"{"name":"App","description":"","path":"/srv/app","machine_id":"studio","settings":{"a":[1]},"x":1}"#
        let (status, project) = try await ask(.post, "/v1/projects", body: body, store: store)
        #expect(status == 200)
        #expect(project["name"] == .string("App"))
        #expect(project["id"]?.string?.wholeMatch(of: /ws-[0-9a-f]{16}/) != nil)
        let created = try #require(await store.created)
        #expect(created.description == nil)
        #expect(created.path == "/srv/app")
        #expect(created.machine == "studio")
        #expect(created.settings == Array(#"{"a":[1]}"#.utf8))
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
            (#"{"name":"a","path":"/taken"}"#, 409, .string("path")),
        ]
    )
    func refused(body: String, status: Int, param: JSONValue) async throws {
        let (found, error) = try await ask(.post, "/v1/projects", body: body)
        #expect(found == status)
        #expect(error["param"] == param)
    }

    @Test("a change sets what it names, null clears, the directory stays")
    func change() async throws {
        let store = FakeStore(projects: [Sample.project("ws-1")])
        #expect(try await ask(.put, "/v1/projects/ws-1", body: #"{"description":null}"#, store: store).0 == 200)
        var change = ProjectChange()
        change.description = .set(nil)
        #expect(await store.changed == change)
        #expect(try await ask(.patch, "/v1/projects/ws-1", body: #"{"name":"b","settings":{}}"#, store: store).0 == 200)
        change = ProjectChange()
        change.name = "b"
        change.settings = .set(Array("{}".utf8))
        #expect(await store.changed == change)
        #expect(try await ask(.put, "/v1/projects/ws-1", body: #"{"path":"/b"}"#, store: store).0 == 400)
        #expect(try await ask(.put, "/v1/projects/ws-9", body: "{}", store: store).0 == 404)
    }

    @Test("a deleted project is gone")
    func delete() async throws {
        let store = FakeStore(projects: [Sample.project("ws-1")])
        let (status, answer) = try await ask(.delete, "/v1/projects/ws-1", store: store)
        #expect(status == 200)
        #expect(answer["project_id"] == .string("ws-1"))
        #expect(answer["status"] == .string("deleted"))
        for method in [HTTPMethod.get, .delete] {
            let (status, error) = try await ask(method, "/v1/projects/ws-1", store: store)
            #expect(status == 404)
            #expect(error["code"] == .string("project_not_found"))
        }
    }
}
