package import EventModel
package import HTTPModel

/// Finds the route of a request in a table, by method and path.
package struct Router: Sendable {
    package enum Match: Sendable {
        case route(Route, parameters: [String: String])
        case methodNotAllowed(allowed: [HTTPMethod])
        case notFound
    }

    private let routes: [Route]
    private let errorForms: [ErrorForm]

    /// If two paths match, the earlier one is used for all methods, so fixed paths must precede those with
    /// parameters.
    package init(_ routes: [Route], errorForms: [ErrorForm] = []) {
        (self.routes, self.errorForms) = (routes, errorForms)
    }

    /// An error in the form that the clients of the path read. Every other answer stays.
    package func formed(_ response: HTTPResponse, to request: HTTPRequest) -> HTTPResponse {
        guard response.status >= 400, let form = errorForms.first(where: { request.path.hasPrefix($0.prefix) }) else {
            return response
        }
        return form.write(response, request.requestID)
    }

    package func match(_ method: HTTPMethod, _ path: String) -> Match {
        let segments = PathTemplate.segments(of: path)
        guard let first = routes.first(where: { $0.path.match(segments) != nil }) else { return .notFound }
        let method = method == .head ? .get : method
        let here = routes.filter { $0.path.text == first.path.text }
        guard let route = here.first(where: { $0.method == method }) else {
            return .methodNotAllowed(allowed: here.map(\.method))
        }
        return .route(route, parameters: route.path.match(segments) ?? [:])
    }

    /// Returns an empty array for an unknown path.
    package func methods(at path: String) -> [HTTPMethod] {
        let segments = PathTemplate.segments(of: path)
        guard let first = routes.first(where: { $0.path.match(segments) != nil }) else { return [] }
        return routes.filter { $0.path.text == first.path.text }.map(\.method)
    }
}

/// One entry of the API.
package struct Route: Sendable {
    package typealias Handler = @Sendable (RouteRequest) async throws(APIError) -> HTTPResponse

    package var method: HTTPMethod
    package var path: PathTemplate
    package var access: RouteAccess
    package var handler: Handler
    /// How long the answer may take; `nil` means the listener's limit. The task of such a handler is cancelled when the
    /// time is over or the client disconnects. Other handlers are never cancelled.
    package var wait: (@Sendable (RouteRequest) -> AnswerWait?)?
    /// Whether a request is taken even beyond its sender's rate limit, and then does not count; `nil` means never.
    package private(set) var isFree: (@Sendable (RouteRequest) -> Bool)?
    /// Maximum bytes of the body of a request, by its sender; `nil` means the listener's limit for the API.
    package private(set) var maximumBody: (@Sendable (Principal) -> Int)?
    /// For the API's documents.
    package var description: RouteDescription

    package init(_ method: HTTPMethod, _ path: String, _ access: RouteAccess, handler: @escaping Handler) {
        self.method = method
        self.path = PathTemplate(path)
        self.access = access
        self.handler = handler
        description = RouteDescription(method, path, access)
    }

    /// Accepts larger bodies than other routes.
    package func accepting(bytes: Int) -> Route { accepting { _ in bytes } }

    /// Accepts larger bodies than other routes, of some senders.
    package func accepting(_ bytes: @escaping @Sendable (Principal) -> Int) -> Route {
        var route = self
        route.maximumBody = bytes
        return route
    }

    /// Takes the requests for which `isFree` is true regardless of the rate limit.
    package func free(if isFree: @escaping @Sendable (RouteRequest) -> Bool) -> Route {
        var route = self
        route.isFree = isFree
        return route
    }

    /// Gives the handler its own time limit, for a long poll.
    package func waiting(_ wait: @escaping @Sendable (RouteRequest) -> AnswerWait?) -> Route {
        var route = self
        route.wait = wait
        return route
    }
}

/// The permission that a route requires.
package enum RouteAccess: Sendable, Equatable {
    case open
    /// A valid credential of any kind.
    case authenticated
    case needs(Capability)
    /// One of both, by what the request asks for: the route's handler decides.
    case either(Capability, Capability)

    package static let post = needs(.post)
    package static let read = needs(.read)
    package static let respond = needs(.respond)
    package static let control = needs(.control)
    package static let administer = needs(.administer)

    /// `nil` if no capability is required; the first of two.
    package var capability: Capability? {
        switch self {
        case .open, .authenticated: nil
        case .needs(let capability), .either(let capability, _): capability
        }
    }

    /// What every request needs.
    package var always: Capability? {
        guard case .needs(let capability) = self else { return nil }
        return capability
    }
}

package struct RouteRequest: Sendable {
    package var http: HTTPRequest
    /// The sender, or `nil` if the route is package.
    package var principal: Principal?
    /// Values of the path's parameters, decoded.
    package var parameters: [String: String]
    package var query: QueryParameters

    /// For limits and the audit log.
    package var caller: Caller { Caller(http, principal) }

    package init(http: HTTPRequest, principal: Principal? = nil, parameters: [String: String]) {
        self.http = http
        self.principal = principal
        self.parameters = parameters
        query = QueryParameters(http.query)
    }
}

/// A path with parameters in braces, `/v1/sessions/{id}/events`.
package struct PathTemplate: Sendable {
    /// The template text, which is also the route's label in metrics.
    package let text: String
    private let segments: [Substring]

    package init(_ text: String) {
        self.text = text
        segments = PathTemplate.segments(of: text)
    }

    /// Ignores a trailing slash.
    package static func segments(of path: String) -> [Substring] {
        path.split(separator: "/", omittingEmptySubsequences: true)
    }

    package func match(_ candidate: [Substring]) -> [String: String]? {
        guard candidate.count == segments.count else { return nil }
        var parameters: [String: String] = [:]
        for (expected, actual) in zip(segments, candidate) {
            if expected.hasPrefix("{") {
                parameters[String(expected.dropFirst().dropLast())] = PercentEncoding.decode(actual)
            } else if expected != actual {
                return nil
            }
        }
        return parameters
    }
}
