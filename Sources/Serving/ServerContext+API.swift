internal import API
internal import Access
internal import Compression
internal import Devices
internal import EventModel
internal import HTTPModel
internal import Logging
internal import Machines

extension ServerContext {
    /// Records what the request reports about the machine, and compares the machine's clock with the server's. Call it
    /// when the head has arrived, because receiving a body takes time.
    func noteReport(of machine: MachineID, _ request: HTTPRequest) {
        guard let time = request.headers[MachineReports.timeHeader] else { return }
        let agent = request.headers[MachineReports.agentHeader]
        machineReports.note(time: time, agent: agent, from: machine, at: clock(), steady: steadyClock())
    }

    /// Returns nil if the route requires no authentication.
    func authorize(
        _ request: HTTPRequest,
        for route: Route,
        _ parameters: [String: String]
    ) throws(APIError) -> Principal? {
        let principal: Principal
        switch route.access {
        case .open: return nil
        case .authenticated: principal = try authorizationGuard.authenticate(request)
        case .either(let one, let other): principal = try authorizationGuard.authorize(request, for: one, or: other)
        case .needs(let capability):
            principal = try authorizationGuard.authorize(request, for: capability) { principal in
                route.isFree?(RouteRequest(http: request, principal: principal, parameters: parameters)) ?? false
            }
        }
        noteUse(of: principal)
        return principal
    }

    func noteUse(of principal: Principal) {
        if let key = principal.apiKey { keys.accepted(key, at: clock()) }
    }

    /// Returns nil if the task was cancelled, because the loop has already answered or the client has disconnected.
    func answer(_ route: Route, _ request: RouteRequest) async -> HTTPResponse? {
        do throws(APIError) {
            var response = try await handle(route, request)
            guard !Task.isCancelled else { return nil }
            if route.description.isCacheable { response = EntityTag.conditional(response, request.http) }
            if isSeedCompatible { response = SeedAnswer.success(response, to: request.http, at: clock()) }
            if route.mayCompress(response) { response = response.gzipped(for: request.http) }
            return finish(response, request.http, route: route.path.text, isOpen: route.access == .open)
        } catch {
            guard !Task.isCancelled else { return nil }
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

    /// A change that a device makes begins with the rights that the device has then.
    private func handle(_ route: Route, _ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        guard route.method != .get, let principal = request.principal, case .device(let claims, _) = principal.holder
        else { return try await route.handler(request) }
        return try await authenticator.changes.run(by: claims.device) { () async throws(APIError) in
            var request = request
            request.principal = try authenticator.renewed(principal, for: route.access.always)
            return try await route.handler(request)
        }
    }

    /// Counts the answer and adds the common headers. Answers that require a credential are marked as not storable,
    /// because they may contain prompts. A client that keeps an entity tag itself may still use it.
    /// - Parameter isOpen: whether the route requires no credential.
    func finish(
        _ response: HTTPResponse,
        _ request: HTTPRequest,
        route: String?,
        isOpen: Bool = false
    ) -> HTTPResponse {
        metrics.update { $0.requests[.init(route: route ?? "other", status: response.status), default: 0] += 1 }
        var response = isSeedCompatible ? SeedAnswer.failure(response, to: request) : response
        response = router.formed(response, to: request)
        response.headers.reserveCapacity(response.headers.count + 5)
        let isKept = isOpen && response.headers.contains { $0.name == EntityTag.header }
        if !response.headers.contains(where: { $0.name == "cache-control" }) {
            response.headers.append(("cache-control", isKept ? "private, no-cache" : "no-store"))
        }
        response.headers.append(("x-content-type-options", "nosniff"))
        // Below a path of another site, the host is not the server's own.
        if request.isForwardedSecurely ?? isSecure, request.forwardedPrefix.isEmpty {
            response.headers.append(("strict-transport-security", "max-age=31536000"))
        }
        response.headers += crossOriginHeaders(request)
        return response
    }

    /// Adds the rate headers of the sender, unless the answer has them.
    func withRates(_ response: HTTPResponse, _ sender: Principal?) -> HTTPResponse {
        guard let sender, !response.hasRates else { return response }
        var response = response
        response.headers += authorizationGuard.rateHeaders(sender)
        return response
    }

    /// Adds the rate headers of the request's sender, where the sender is not known any more or not yet.
    func withRates(_ response: HTTPResponse, answering request: HTTPRequest) -> HTTPResponse {
        guard response.status != 401, !response.hasRates else { return response }
        var response = response
        response.headers += authorizationGuard.rateHeaders(request)
        return response
    }

    /// Pages of a listed origin may read the answer. Other pages may send requests, as any program may, but cannot
    /// read the answers.
    func crossOriginHeaders(_ request: HTTPRequest) -> [(name: String, value: String)] {
        guard let origin = request.readableOrigin else { return [] }
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
        if SocketRoute.at(path) != nil { methods = [.get] }
        let names = methods.map(\.rawValue) + (methods.contains(.get) ? ["HEAD"] : []) + ["OPTIONS"]
        return names.joined(separator: ", ")
    }

    private static let usualHeaders =
        "authorization, x-api-key, content-type, if-none-match, last-event-id, x-request-id, idempotency-key"

    /// The usual ones, and those that clients of OpenAI and of MCP add, as far as the browser asks for them.
    private static func allowedHeaders(for request: HTTPRequest) -> String {
        let asked = (request.headers["access-control-request-headers"] ?? "").split(separator: ",").lazy
            .map { $0.drop { $0 == " " }.lowercased() }
            .filter { name in
                (name.hasPrefix("x-stainless-") || name.hasPrefix("mcp-")) && name.utf8.count <= 64
                    && name.utf8.allSatisfy(isOfName)
            }
        return ([usualHeaders] + asked.prefix(32)).joined(separator: ", ")
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "-") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    func preflight(_ request: HTTPRequest) -> HTTPResponse {
        var response = HTTPResponse(status: 204, headers: [("allow", allowedMethods(at: request.path))])
        if request.headers["access-control-request-method"] != nil {
            response.headers += [
                ("access-control-allow-methods", "GET, HEAD, POST, PUT, PATCH, DELETE"),
                ("access-control-allow-headers", LoopHandler.allowedHeaders(for: request)),
                ("access-control-max-age", "600"),
            ]
        }
        return finish(response, request, route: "preflight")
    }
}

extension HTTPResponse {
    fileprivate var hasRates: Bool { headers.contains { $0.name == "x-ratelimit-limit" } }
}

extension Route {
    /// Whether the answer contains no new secret. The length of a compressed answer can tell what it contains.
    fileprivate func mayCompress(_ response: HTTPResponse) -> Bool {
        method == .get && (description.isCacheable || response.stream != nil)
    }
}
