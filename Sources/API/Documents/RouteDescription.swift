package import HTTPModel
package import JSON

/// The documentation of a route. It is defined next to the route, so that both change together.
package struct RouteDescription: Sendable {
    package struct Answer: Sendable {
        package var status: Int
        /// Empty for an answer without a body.
        package var contentType: String
        package var schema: SchemaName?
    }

    package var method: HTTPMethod
    package var path: String
    package var access: RouteAccess
    package var summary = ""
    /// The name in generated clients. `nil` derives it from method and path, ignoring `/api`.
    package private(set) var name: String?
    /// A request to a path of `/v1` may have these parameters and no others: see `check`.
    package var parameters: [QueryParameter] = []
    /// The same for a request for the path's stream of events.
    package private(set) var streamParameters: [QueryParameter] = []
    package var body: SchemaName?
    /// Whether the body may also be newline-delimited JSON.
    package private(set) var takesLines = false
    /// Whether the body is a form, `application/x-www-form-urlencoded`, instead of JSON.
    package private(set) var takesForm = false
    /// Whether the route is one of OTLP/HTTP: bodies and answers are JSON or protobuf, errors a `google.rpc.Status`.
    package private(set) var isTelemetry = false
    /// Whether the body may be missing.
    package private(set) var isBodyOptional = false
    /// Whether a client may cache the answer and revalidate it. False if each answer contains a new secret.
    package private(set) var isCacheable = true
    /// Whether the documents list the route. The files of the web app are no part of the interface.
    package private(set) var isListed = true
    package var answers: [Answer] = []
    /// The form of errors; `nil` for the usual one.
    package private(set) var failure: SchemaName?
    /// Error statuses in addition to those that every route of its kind may return.
    package var faults: [Int] = []

    package init(_ method: HTTPMethod, _ path: String, _ access: RouteAccess) {
        self.method = method
        self.path = path
        self.access = access
    }

    /// The names in the path's braces.
    package var pathParameters: [String] {
        path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
    }

    package func answering(_ status: Int, _ contentType: String, _ schema: SchemaName? = nil) -> RouteDescription {
        var description = self
        description.answers.append(Answer(status: status, contentType: contentType, schema: schema))
        return description
    }

    /// Adds a stream of server-sent events, for `Accept: text/event-stream`.
    package func streaming(_ parameters: [QueryParameter]) -> RouteDescription {
        var description = answering(200, "text/event-stream")
        description.streamParameters = parameters
        return description
    }

    package func unlisted() -> RouteDescription {
        var description = self
        description.isListed = false
        return description
    }

    package func named(_ name: String) -> RouteDescription {
        var description = self
        description.name = name
        return description
    }

    package func takingForm() -> RouteDescription {
        var description = self
        description.takesForm = true
        return description
    }

    package func takingOptional(body: SchemaName) -> RouteDescription {
        var description = self
        description.body = body
        description.isBodyOptional = true
        return description
    }

    package func notCached() -> RouteDescription {
        var description = self
        description.isCacheable = false
        return description
    }

    package func takingTelemetry() -> RouteDescription {
        var description = self
        description.isTelemetry = true
        return description
    }

    package func failing(as schema: SchemaName) -> RouteDescription {
        var description = self
        description.failure = schema
        return description
    }

    package func takingLines() -> RouteDescription {
        var description = self
        description.takesLines = true
        return description
    }

    package func saying(
        _ summary: String,
        _ parameters: [QueryParameter] = [],
        body: SchemaName? = nil,
        faults: [Int] = []
    ) -> RouteDescription {
        var description = self
        description.summary = summary
        description.parameters = parameters
        description.body = body
        description.faults = faults
        return description
    }
}

extension Route {
    /// Sets the summary and the schema of the answer.
    package func described(
        _ summary: String,
        _ parameters: [QueryParameter] = [],
        body: SchemaName? = nil,
        as schema: SchemaName,
        status: Int = 200,
        faults: [Int] = []
    ) -> Route {
        described {
            $0.saying(summary, parameters, body: body, faults: faults).answering(status, "application/json", schema)
        }
    }

    package func described(_ describe: (RouteDescription) -> RouteDescription) -> Route {
        var route = self
        route.description = describe(description)
        return route
    }
}
