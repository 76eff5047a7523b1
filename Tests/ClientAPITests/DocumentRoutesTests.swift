import EventModel
import HTTPModel
import JSON
import Testing

@testable import ClientAPI

@Suite("Documents")
struct DocumentRoutesTests {
    private let others = API.routes(store: FakeStore(), keys: NoKeys(), clock: { Sample.time })

    private func read(_ path: String, methods: [String] = []) async throws -> HTTPResponse {
        let interface = RPCInterface(
            document: [UInt8](#"{"openrpc":"1.3.2"}"#.utf8),
            methods: methods.map {
                RPCInterface.Method(name: $0, summary: "", access: .read, parameters: [], result: "Empty")
            },
            schemas: []
        )
        let documents = DocumentRoutes(version: "1.2.3", others: others.map(\.description), rpc: interface)
        let router = Router(others + documents.routes)
        guard case .route(let route, _) = router.match(.get, path) else { return HTTPResponse(status: 404) }
        return try await route.handler(RouteRequest(http: HTTPRequest(method: .get, path: path), parameters: [:]))
    }

    @Test("every route is in the document, and nothing else")
    func openAPI() async throws {
        let document = try JSONValue.parse(try await read("/openapi.json").body)
        #expect(document["info"]?["version"] == .string("1.2.3"))
        guard case .object(let paths)? = document["paths"] else {
            Issue.record("no paths")
            return
        }
        var described: Set<String> = []
        for (path, methods) in paths {
            guard case .object(let members) = methods else { continue }
            for (method, _) in members { described.insert("\(method) \(path)") }
        }
        let own = ["/openapi.json", "/api/rpc/discover", "/docs"].map { "get \($0)" }
        let routes = others.map { "\($0.method.rawValue.lowercased()) \($0.path.text)" }
        #expect(described == Set(routes + own))
    }

    @Test("every route of the API says what it is for and what it answers")
    func described() {
        for route in others {
            #expect(!route.description.summary.isEmpty, "\(route.path.text)")
            #expect(!route.description.answers.isEmpty, "\(route.path.text)")
        }
    }

    @Test("the document of the methods is given out as it is")
    func openRPC() async throws {
        #expect(String(decoding: try await read("/api/rpc/discover").body, as: UTF8.self) == #"{"openrpc":"1.3.2"}"#)
    }

    @Test("every answer and body is described by a schema that is there, and with its failures")
    func schemas() async throws {
        let document = try JSONValue.parse(try await read("/openapi.json").body)
        let names = Set(Schemas.all.map(\.0))
        for route in others {
            let about = route.description
            for name in about.answers.compactMap(\.schema) + (about.body.map { [$0] } ?? []) {
                #expect(names.contains(name), "\(name.rawValue)")
            }
            let method = about.method.rawValue.lowercased()
            let responses = document["paths"]?[about.path]?[method]?["responses"]
            #expect(responses?["503"] != nil && responses?["default"] == nil, "\(about.path)")
        }
    }

    @Test("names in the page are text, not markup")
    func page() async throws {
        let response = try await read("/docs", methods: ["<b>&\""])
        let page = String(decoding: response.body, as: UTF8.self)
        #expect(page.contains("<code>&lt;b&gt;&amp;&quot;</code>"))
        #expect(response.headers.contains { $0.name == "content-security-policy" })
    }
}
