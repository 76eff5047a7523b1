internal import Compression
internal import HTTPModel
package import JSON

/// The API's documentation: OpenAPI, OpenRPC, and an HTML page of both. Public, because it contains no user data.
package struct DocumentRoutes: Sendable {
    private let openAPI: ConstantBody
    private let openRPC: ConstantBody
    private let page: ConstantBody

    /// - Parameter others: every other route of the server.
    /// - Parameter schemas: those that the other routes name.
    package init(version: String, others: [RouteDescription], schemas: [(SchemaName, String)], rpc: RPCInterface) {
        let all = others + DocumentRoutes.table.map { $0.description(DocumentRoutes.bare($0.path)) }
        let schemas = JSONSchema.once(JSONSchema.common + schemas)
        openAPI = ConstantBody(OpenAPIDocument(version: version, routes: all, schemas: schemas).json)
        openRPC = ConstantBody(rpc.document)
        page = ConstantBody(DocumentPage(version: version, routes: all, schemas: schemas, rpc: rpc).html)
    }

    package var routes: [Route] {
        DocumentRoutes.table.map { entry in
            Route(.get, entry.path, .open) { [self] request in
                entry.body(self).response(entry.headers, for: request.http)
            }
            .described(entry.description)
        }
    }

    private struct Entry: Sendable {
        let path: String
        let description: @Sendable (RouteDescription) -> RouteDescription
        var headers: [(name: String, value: String)] = [("content-type", "application/json")]
        let body: @Sendable (DocumentRoutes) -> ConstantBody
    }

    private static let table = [
        Entry(
            path: "/openapi.json",
            description: { $0.saying("This document.").answering(200, "application/json", "OpenAPI") },
            body: { $0.openAPI }
        ),
        Entry(
            path: "/api/rpc/discover",
            description: {
                $0.saying("The methods of the WebSocket as an OpenRPC document.")
                    .answering(200, "application/json", "OpenRPC")
            },
            body: { $0.openRPC }
        ),
        Entry(
            path: "/docs",
            description: { $0.saying("Both documents as a page for people.").answering(200, "text/html") },
            headers: [
                ("content-type", "text/html; charset=utf-8"),
                ("content-security-policy", DocumentPage.contentSecurityPolicy),
                ("referrer-policy", "no-referrer"),
            ],
            body: { $0.page }
        ),
    ]

    private static func bare(_ path: String) -> RouteDescription { RouteDescription(.get, path, .open) }
}
