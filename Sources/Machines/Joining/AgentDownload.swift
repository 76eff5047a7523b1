internal import API
internal import HTTPModel

/// `/agent/{id}`: the program `monitor-agent` for a platform. It contains no secret.
struct AgentDownload: Sendable {
    let releases: AgentReleases

    var routes: [Route] {
        [
            Route(.get, "/agent/{id}", .open, handler: program).described { about in
                about.saying("The program monitor-agent for a platform, such as linux-x86_64.")
                    .answering(200, "application/octet-stream").answering(404, "application/json", .failure)
            }
        ]
    }

    /// The body is read from the file while it is sent. No program is held in memory.
    @Sendable private func program(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let platform = request.parameters["id"] ?? ""
        guard let release = releases[platform] else {
            let known = AgentRelease.platforms.contains(platform) ? "" : " Platforms: linux-x86_64, linux-aarch64."
            throw .notFound(
                "agent_not_built",
                "This server was installed without the agent for this platform.\(known) In its source, "
                    + "`make agent` builds the one for the machine on which it runs."
            )
        }
        let tag = "\"\(release.digest)\""
        var headers: [(name: String, value: String)] = [
            ("etag", tag), ("x-agent-version", release.version), ("x-agent-sha256", release.digest),
        ]
        if let seal = release.seal {
            headers += [("x-agent-key", seal.key), ("x-agent-signature", seal.signature)]
        }
        if let known = request.http.headers["if-none-match"], known == "*" || known.contains(tag) {
            return HTTPResponse(status: 304, headers: headers)
        }
        var response = HTTPResponse(status: 200, headers: headers + [("content-type", "application/octet-stream")])
        response.stream = release.program
        return response
    }
}
