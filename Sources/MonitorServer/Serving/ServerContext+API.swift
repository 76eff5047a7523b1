internal import Access
internal import ClientAPI
internal import EventModel
internal import HTTPModel
internal import Logging

extension ServerContext {
    func authorize(_ request: HTTPRequest, for access: RouteAccess) throws(APIError) {
        switch access {
        case .open: return
        case .read: _ = try authorize(request, for: Scope.read)
        case .administer: _ = try authorize(request, for: Scope.administer)
        }
    }

    @discardableResult
    func authorize(_ request: HTTPRequest, for scope: Scope) throws(APIError) -> Principal {
        try doorkeeper.authorize(request, for: scope)
    }

    func answer(_ route: Route, _ request: RouteRequest) async -> HTTPResponse {
        do throws(APIError) {
            var response = try await route.handler(request)
            if route.description.isCacheable { response = EntityTag.conditional(response, request.http) }
            return finish(response, request.http, route: route.path.text)
        } catch {
            if error.status >= 500 {
                logger.error(
                    "request failed",
                    metadata: [
                        LogKey.requestID: "\(request.http.requestID)", LogKey.route: "\(route.path.text)",
                        LogKey.code: "\(error.code)",
                    ]
                )
            }
            return finish(error.response(requestID: request.http.requestID), request.http, route: route.path.text)
        }
    }

    /// Counts the answer and adds what every answer carries.
    func finish(_ response: HTTPResponse, _ request: HTTPRequest, route: String?) -> HTTPResponse {
        metrics.update { $0.requests[.init(route: route ?? "other", status: response.status), default: 0] += 1 }
        var response = response
        response.headers.reserveCapacity(response.headers.count + 5)
        let isTagged = response.headers.contains { $0.name == EntityTag.header }
        response.headers.append(("cache-control", isTagged ? "private, no-cache" : "no-store"))
        response.headers.append(("x-content-type-options", "nosniff"))
        response.headers += crossOriginHeaders(request)
        return response
    }

    /// The listener has refused origins that are not allowed, so the one that came this far may read the answer.
    func crossOriginHeaders(_ request: HTTPRequest) -> [(name: String, value: String)] {
        guard let origin = request.headers["origin"] else { return [] }
        return [
            ("access-control-allow-origin", origin),
            ("access-control-expose-headers", "x-request-id, etag, retry-after, \(RateVerdict.headerNames)"),
            ("vary", "Origin"),
        ]
    }
}

extension LoopHandler {
    private func allowedMethods(at path: String) -> String {
        var methods = context.router.methods(at: path)
        if IngestKind(rawValue: path) != nil { methods = [.post] }
        if LoopHandler.isSocketPath(path) { methods = [.get] }
        let names = methods.map(\.rawValue) + (methods.contains(.get) ? ["HEAD"] : []) + ["OPTIONS"]
        return names.joined(separator: ", ")
    }

    func preflight(_ request: HTTPRequest) -> HTTPResponse {
        var response = HTTPResponse(status: 204, headers: [("allow", allowedMethods(at: request.path))])
        if request.headers["access-control-request-method"] != nil {
            response.headers += [
                ("access-control-allow-methods", "GET, HEAD, POST, PUT, PATCH, DELETE"),
                (
                    "access-control-allow-headers",
                    "authorization, x-api-key, content-type, if-none-match, last-event-id, x-request-id"
                ),
                ("access-control-max-age", "600"),
            ]
        }
        return finish(response, request, route: "preflight")
    }
}
