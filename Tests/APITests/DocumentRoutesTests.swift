import APISamples
import HTTPModel
import JSON
import Testing

@testable import API

@Suite("Documents")
struct DocumentRoutesTests {
    private static let schemas: [(SchemaName, String)] = [
        ("Pet", JSONSchema.object(["friends": JSONSchema.list("Pet")])), ("Name", JSONSchema.text),
    ]

    private let others = [
        Route(.get, "/v1/pets/{id}", .read) { _ in HTTPResponse(status: 200) }.described("One pet.", as: "Pet"),
        Route(.put, "/v1/pets/{id}", .administer) { _ in HTTPResponse(status: 200) }
            .described("Names a pet.", body: "Name", as: "Pet"),
    ]

    private func read(_ path: String, methods: [String] = []) async throws -> HTTPResponse {
        let interface = RPCInterface(
            document: [UInt8](#"{"openrpc":"1.3.2"}"#.utf8),
            methods: methods.map {
                RPCInterface.Method(name: $0, summary: "", access: .read, parameters: [], result: "Empty")
            },
            schemas: []
        )
        let documents = DocumentRoutes(
            version: "1.2.3",
            others: others.map(\.description),
            schemas: DocumentRoutesTests.schemas,
            rpc: interface
        )
        guard case .route(let route, _) = Router(documents.routes).match(.get, path) else {
            return HTTPResponse(status: 404)
        }
        return try await route.handler(RouteRequest(http: HTTPRequest(method: .get, path: path), parameters: [:]))
    }

    @Test("every route is in the document, and every schema")
    func openAPI() async throws {
        let document = try JSONValue.parse(try await read("/openapi.json").body)
        #expect(document["info"]?["version"] == .string("1.2.3"))
        guard case .object(let paths)? = document["paths"], case .object(let methods)? = paths.first?.1 else {
            Issue.record("no paths")
            return
        }
        #expect(paths.map(\.0) == ["/v1/pets/{id}", "/openapi.json", "/api/rpc/discover", "/docs"])
        #expect(methods.map(\.0) == ["get", "put"])
        let schemas = document["components"]?["schemas"]
        for name in ["Pet", "Name", "Failure", "Page", "OpenAPI"] { #expect(schemas?[name] != nil, "\(name)") }
    }

    @Test("the schemas that all features share refer to no others")
    func common() throws {
        #expect(try undefinedSchemas([], JSONSchema.common) == [])
    }

    @Test("a schema that is named and missing is found")
    func undefined() throws {
        let routes = others.map(\.description)
        #expect(try undefinedSchemas(routes, DocumentRoutesTests.schemas) == [])
        #expect(try undefinedSchemas(routes, []) == ["#/components/schemas/Name", "#/components/schemas/Pet"])
        let nested = JSONSchema.object(["pet": JSONSchema.nullable(JSONSchema.list("Pet"))])
        #expect(try undefinedSchemas([], [("Owner", nested)]) == ["#/components/schemas/Pet"])
    }

    @Test("the document of the methods is given out as it is")
    func openRPC() async throws {
        #expect(String(decoding: try await read("/api/rpc/discover").body, as: UTF8.self) == #"{"openrpc":"1.3.2"}"#)
    }

    @Test("names in the page are text, not markup")
    func page() async throws {
        let response = try await read("/docs", methods: ["<b>&\""])
        let page = String(decoding: response.body, as: UTF8.self)
        #expect(page.contains("<code>&lt;b&gt;&amp;&quot;</code>"))
        #expect(response.headers.contains { $0.name == "content-security-policy" })
    }
}
