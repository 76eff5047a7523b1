internal import API
internal import HTTPModel

/// `/install.sh` and `/hooks.tar.gz`: how a machine gets the hooks from its server. They contain no secret.
struct JoiningRoutes: Sendable {
    /// `nil` if the hooks are not installed beside the server.
    let hooks: HooksArchive?
    let agents: AgentReleases
    /// Whether the listeners use TLS.
    let isSecure: Bool

    var routes: [Route] {
        [
            Route(.get, "/install.sh", .open, handler: script).described { about in
                about.saying("A script that downloads the hooks from this server and installs them on a machine.")
                    .answering(200, "text/x-shellscript").answering(404, "application/json", .failure)
            },
            Route(.get, "/hooks.tar.gz", .open, handler: archive).described { about in
                about.saying("The hooks that the script installs.")
                    .answering(200, "application/gzip").answering(404, "application/json", .failure)
            },
        ]
    }

    @Sendable private func script(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let address = ServerAddress(request.http, isSecure: isSecure).http
        return HTTPResponse(
            status: 200,
            headers: [("content-type", "text/x-shellscript; charset=utf-8")],
            body: try found().script(for: address, agents)
        )
    }

    @Sendable private func archive(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        HTTPResponse(status: 200, headers: [("content-type", "application/gzip")], body: try found().archive)
    }

    private func found() throws(APIError) -> HooksArchive {
        guard let hooks else { throw .notFound("not_found", "This server was installed without the hooks.") }
        return hooks
    }
}
