import EventModel
import HTTPModel
import JSON
import Testing

@testable import ClientAPI

@Suite("Documents")
struct DocumentRoutesTests {
    private let others = API.routes(store: FakeStore(), keys: NoKeys(), clock: { Sample.time })

    private func read(_ path: String, methods: [String] = []) async throws -> HTTPResponse {
        let documents = DocumentRoutes(version: "1.2.3", others: others.map(\.description), rpcMethods: methods)
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

    @Test("methods are listed as they are registered, known or not")
    func openRPC() async throws {
        let document = try JSONValue.parse(try await read("/api/rpc/discover", methods: ["ping", "new/one"]).body)
        #expect(document["methods"]?.array?.compactMap { $0["name"]?.string } == ["ping", "new/one"])
    }

    @Test("names in the page are text, not markup")
    func page() async throws {
        let response = try await read("/docs", methods: ["<b>&\""])
        let page = String(decoding: response.body, as: UTF8.self)
        #expect(page.contains("<code>&lt;b&gt;&amp;&quot;</code>"))
        #expect(response.headers.contains { $0.name == "content-security-policy" })
    }
}
