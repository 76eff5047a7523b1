internal import HTTPModel
package import JSON

/// The API's documentation: OpenAPI, OpenRPC, and an HTML page of both. Public, because it contains no user data.
package struct DocumentRoutes: Sendable {
    private let openAPI: [UInt8]
    private let openRPC: [UInt8]
    private let page: [UInt8]

    /// - Parameter others: every other route of the server.
    /// - Parameter schemas: those that the other routes name.
    package init(version: String, others: [RouteDescription], schemas: [(SchemaName, String)], rpc: RPCInterface) {
        let all = others + DocumentRoutes.table.map { $0.description(DocumentRoutes.bare($0.path)) }
        let schemas = JSONSchema.once(JSONSchema.common + schemas)
        openAPI = OpenAPIDocument(version: version, routes: all, schemas: schemas).json
        openRPC = rpc.document
        page = DocumentPage(version: version, routes: all, schemas: schemas, rpc: rpc).html
    }

    package var routes: [Route] {
        DocumentRoutes.table.map { entry in
            Route(.get, entry.path, .open) { [self] _ in entry.answer(self) }.described(entry.description)
        }
    }

    private struct Entry: Sendable {
        let path: String
        let description: @Sendable (RouteDescription) -> RouteDescription
        let answer: @Sendable (DocumentRoutes) -> HTTPResponse
    }

    private static let table = [
        Entry(
            path: "/openapi.json",
            description: { $0.saying("This document.").answering(200, "application/json", "OpenAPI") },
            answer: { .json($0.openAPI) }
        ),
        Entry(
            path: "/api/rpc/discover",
            description: {
                $0.saying("The methods of the WebSocket as an OpenRPC document.")
                    .answering(200, "application/json", "OpenRPC")
            },
            answer: { .json($0.openRPC) }
        ),
        Entry(
            path: "/docs",
            description: { $0.saying("Both documents as a page for people.").answering(200, "text/html") },
            answer: {
                HTTPResponse(
                    status: 200,
                    headers: [
                        ("content-type", "text/html; charset=utf-8"),
                        ("content-security-policy", DocumentPage.contentSecurityPolicy),
                        ("referrer-policy", "no-referrer"),
                    ],
                    body: $0.page
                )
            }
        ),
    ]

    private static func bare(_ path: String) -> RouteDescription { RouteDescription(.get, path, .open) }
}
