public import HTTPModel
public import JSON

/// The documentation of a route. It is defined next to the route, so that both change together.
public struct RouteDescription: Sendable {
    public struct Answer: Sendable {
        public var status: Int
        public var contentType: String
        public var schema: SchemaName?
    }

    public var method: HTTPMethod
    public var path: String
    public var access: RouteAccess
    public var summary = ""
    /// The name in generated clients. `nil` derives it from method and path, ignoring `/api`.
    public private(set) var name: String?
    /// A request to a path of `/v1` may have these parameters and no others: see `check`.
    public var parameters: [QueryParameter] = []
    /// The same for a request for the path's stream of events.
    public private(set) var streamParameters: [QueryParameter] = []
    public var body: SchemaName?
    /// Whether the body may also be newline-delimited JSON.
    public private(set) var takesLines = false
    /// Whether the body is a form, `application/x-www-form-urlencoded`, instead of JSON.
    public private(set) var takesForm = false
    /// Whether the route is one of OTLP/HTTP: bodies and answers are JSON or protobuf, errors a `google.rpc.Status`.
    public private(set) var isTelemetry = false
    /// Whether the body may be missing.
    public private(set) var isBodyOptional = false
    /// Whether a client may cache the answer and revalidate it. False if each answer contains a new secret.
    public private(set) var isCacheable = true
    public var answers: [Answer] = []
    /// Error statuses in addition to those that every route of its kind may return.
    public var faults: [Int] = []

    public init(_ method: HTTPMethod, _ path: String, _ access: RouteAccess) {
        self.method = method
        self.path = path
        self.access = access
    }

    /// The names in the path's braces.
    var pathParameters: [String] {
        path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
    }

    public func answering(_ status: Int, _ contentType: String, _ schema: SchemaName? = nil) -> RouteDescription {
        var description = self
        description.answers.append(Answer(status: status, contentType: contentType, schema: schema))
        return description
    }

    /// Adds a stream of server-sent events, for `Accept: text/event-stream`.
    func streaming(_ parameters: [QueryParameter]) -> RouteDescription {
        var description = answering(200, "text/event-stream")
        description.streamParameters = parameters
        return description
    }

    public func named(_ name: String) -> RouteDescription {
        var description = self
        description.name = name
        return description
    }

    public func takingForm() -> RouteDescription {
        var description = self
        description.takesForm = true
        return description
    }

    public func takingOptional(body: SchemaName) -> RouteDescription {
        var description = self
        description.body = body
        description.isBodyOptional = true
        return description
    }

    public func notCached() -> RouteDescription {
        var description = self
        description.isCacheable = false
        return description
    }

    public func takingTelemetry() -> RouteDescription {
        var description = self
        description.isTelemetry = true
        return description
    }

    public func takingLines() -> RouteDescription {
        var description = self
        description.takesLines = true
        return description
    }

    public func saying(
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

/// A parameter in the query of a URL.
public struct QueryParameter: Sendable {
    public var name: String
    /// JSON Schema.
    public var schema: String
    public var summary: String
    /// Other names of the same parameter.
    private(set) var aliases: [String] = []
    /// Whether it may come several times, with a value each.
    private(set) var isRepeatable = false

    public init(name: String, schema: String, summary: String) {
        self.name = name
        self.schema = schema
        self.summary = summary
    }

    func or(_ alias: String) -> QueryParameter {
        var parameter = self
        parameter.aliases.append(alias)
        return parameter
    }

    func repeatable() -> QueryParameter {
        var parameter = self
        parameter.isRepeatable = true
        return parameter
    }

    public static func text(_ name: String, _ summary: String) -> QueryParameter {
        QueryParameter(name: name, schema: JSONSchema.line, summary: summary)
    }

    public static func integer(_ name: String, _ range: ClosedRange<Int64>, _ summary: String) -> QueryParameter {
        let (least, most) = (range.lowerBound, range.upperBound)
        let schema = #"{"type":"integer","minimum":\#(least),"maximum":\#(most)}"#
        return QueryParameter(name: name, schema: schema, summary: summary)
    }

    public static func choice(_ name: String, _ values: [String], _ summary: String) -> QueryParameter {
        let list = values.map { "\"\($0)\"" }.joined(separator: ",")
        return QueryParameter(name: name, schema: #"{"type":"string","enum":[\#(list)]}"#, summary: summary)
    }

    public static func text(_ name: String, matching pattern: String, _ summary: String) -> QueryParameter {
        QueryParameter(name: name, schema: #"{"type":"string","pattern":"\#(pattern)"}"#, summary: summary)
    }

    public static func date(_ name: String, _ summary: String) -> QueryParameter {
        QueryParameter(
            name: name,
            schema: JSONSchema.either([JSONSchema.sentDate, JSONSchema.sentTime]),
            summary: summary
        )
    }

    static let paging =
        [
            integer("limit", 1...200, "How many, with 'cursor'."),
            text("cursor", matching: "^[0-9]{1,16}~.+$", "The 'next_cursor' of the page before."),
        ] + pages

    /// Without these parameters, a list that has no cursor is returned whole.
    static let pages = [
        integer("page", 1...100_000, "Which page, by its number; the answer then counts them."),
        integer("per_page", 1...200, "How many, with 'page'."),
    ]

    static let log =
        [
            integer("limit", 1...999, "How many."),
            text("cursor", matching: "^[0-9a-f-]{1,36}:[0-9]{1,18}$", "The 'next_cursor' of the page before."),
            choice("order", ["asc", "desc"], "By 'seq'."),
            integer("after", 0...Int64.max, "Only those with a greater 'seq'."),
            integer("before", 0...Int64.max, "Only those with a smaller 'seq'."),
        ] + pages

    static let device = [integer("device_id", 1...Int64.max, "For the operator: which device.")]
    static let project = text("project_id", "Of this project.").or("workspace_id")
    static let machine = text("machine_id", "Of this machine, by its name or its number.").or("machine")
    static let types = text("types", "Only these types, with commas between.").or("type").repeatable()
    package static let since = text("since", "Only events after this position, 'epoch:seq'; 0 is the beginning.")
}

extension Route {
    /// Sets the summary and the schema of the answer.
    public func described(
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

    public func described(_ describe: (RouteDescription) -> RouteDescription) -> Route {
        var route = self
        route.description = describe(description)
        return route
    }
}
