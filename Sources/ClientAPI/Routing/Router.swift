public import HTTPModel

/// Finds the route of a request: a table, looked through by method and path.
public struct Router: Sendable {
    public enum Match: Sendable {
        case route(Route, parameters: [String: String])
        case methodNotAllowed(allowed: [HTTPMethod])
        case notFound
    }

    private let routes: [Route]

    /// Of two routes that fit one path the earlier wins, so fixed paths stand before those with parameters.
    public init(_ routes: [Route]) {
        self.routes = routes
    }

    public func match(_ method: HTTPMethod, _ path: String) -> Match {
        let segments = PathTemplate.segments(of: path)
        let method = method == .head ? .get : method
        var allowed: [HTTPMethod] = []
        for route in routes {
            guard let parameters = route.path.match(segments) else { continue }
            if route.method == method { return .route(route, parameters: parameters) }
            if !allowed.contains(route.method) { allowed.append(route.method) }
        }
        return allowed.isEmpty ? .notFound : .methodNotAllowed(allowed: allowed)
    }
}

/// One entry of the API.
public struct Route: Sendable {
    public typealias Handler = @Sendable (RouteRequest) async throws(APIError) -> HTTPResponse

    public var method: HTTPMethod
    public var path: PathTemplate
    public var access: RouteAccess
    public var handler: Handler
    /// For the API's documents.
    public internal(set) var description: RouteDescription

    public init(_ method: HTTPMethod, _ path: String, _ access: RouteAccess, handler: @escaping Handler) {
        self.method = method
        self.path = PathTemplate(path)
        self.access = access
        self.handler = handler
        description = RouteDescription(method, path, access)
    }
}

/// What a caller of a route must be allowed to do.
public enum RouteAccess: Sendable {
    case open
    case read
    case administer
}

public struct RouteRequest: Sendable {
    public var http: HTTPRequest
    /// Values of the path's parameters, decoded.
    public var parameters: [String: String]
    public var query: QueryParameters

    public init(http: HTTPRequest, parameters: [String: String]) {
        self.http = http
        self.parameters = parameters
        query = QueryParameters(http.query)
    }
}

/// A path with parameters in braces, `/v1/sessions/{id}/events`.
public struct PathTemplate: Sendable {
    /// As it is written; also the label of the route in metrics.
    public let text: String
    private let segments: [Substring]

    init(_ text: String) {
        self.text = text
        segments = PathTemplate.segments(of: text)
    }

    /// A trailing slash makes no difference.
    static func segments(of path: String) -> [Substring] {
        path.split(separator: "/", omittingEmptySubsequences: true)
    }

    func match(_ candidate: [Substring]) -> [String: String]? {
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
