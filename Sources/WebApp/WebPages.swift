package import API
package import HTTPModel

/// The pages of the web app and the files that they load.
package struct WebPages: Sendable {
    /// `nil` if the web app is not built.
    let files: WebFiles?

    package init(files: WebFiles?) {
        self.files = files
    }

    /// They are no part of the interface, so its documents do not describe them.
    package var routes: [Route] {
        [
            file("/assets/{name}"),
            file("/sw.js"),
            file("/manifest.webmanifest"),
            file("/icons/{name}"),
            swagger,
        ]
    }

    /// The page that sends requests by the OpenAPI document. Its links are relative to a directory.
    private var swagger: Route {
        Route(.get, "/swagger/", .open) { request throws(APIError) in
            guard request.http.path.hasSuffix("/") else {
                return HTTPResponse(status: 308, headers: [("location", "swagger/")])
            }
            guard let response = files?.response("swagger.html", for: request.http) else {
                throw .notFound("not_found", "The web app is not built. /docs has the interface without it.")
            }
            return response
        }
        .described { $0.unlisted() }
    }

    private func file(_ path: String) -> Route {
        Route(.get, path, .open) { request throws(APIError) in
            let name = String(path.dropFirst()).replacing("{name}", with: request.parameters["name"] ?? "")
            guard let response = files?.response(name, for: request.http) else {
                throw .notFound("not_found", "There is no such file in the web app.")
            }
            return response
        }
        .described { $0.unlisted() }
    }

    /// The answer to a browser that opens `/`. Programs do not name `text/html` and get `nil`.
    package func home(for request: HTTPRequest) -> HTTPResponse? {
        guard WebPages.isBrowser(request) else { return nil }
        return files?.response("index.html", for: request) ?? WebPages.notBuilt
    }

    /// The page at `/pair`. A browser that opens a link from `monitorctl device pair --browser` signs in there.
    package func pairing(for request: HTTPRequest) -> HTTPResponse? {
        guard WebPages.isBrowser(request) else { return nil }
        return files?.response("pair.html", for: request)
    }

    private static func isBrowser(_ request: HTTPRequest) -> Bool {
        request.headers["accept"]?.lowercased().contains("text/html") == true
    }

    private static let notBuilt = HTTPResponse(
        status: 200,
        headers: [
            ("content-type", "text/html; charset=utf-8"), ("vary", "Accept"),
            ("content-security-policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'"),
        ],
        body: Array(
            """
            <!doctype html><html lang="en"><head><meta charset="utf-8"><title>Claude Code Monitor</title></head><body>
            <h1>Claude Code Monitor</h1>
            <p>The server runs. Its web app is not built: <code>make web</code> builds it.</p>
            <p><a href="docs">The interface for programs</a></p></body></html>

            """.utf8
        )
    )
}
