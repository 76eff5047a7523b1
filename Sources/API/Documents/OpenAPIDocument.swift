internal import EventModel
internal import HTTPModel
internal import JSON

/// The routes as an OpenAPI 3.1 document.
struct OpenAPIDocument {
    let version: String
    let routes: [RouteDescription]
    let schemas: [(SchemaName, String)]

    var json: [UInt8] {
        var writer = JSONWriter(reserving: 64 << 10)
        writer.beginObject()
        writer.field("openapi", "3.1.0")
        writer.beginObject("info")
        writer.field("title", "Claude Code Monitor")
        writer.field("version", version)
        writer.field("summary", "Events and sessions of Claude Code on many machines, live and as history.")
        writer.endObject()
        writer.beginObject("paths")
        for path in paths {
            writer.key(named: path)
            writer.beginObject()
            for route in routes where route.path == path { write(route, to: &writer) }
            writer.endObject()
        }
        writer.endObject()
        writer.field("components", json: components)
        writer.endObject()
        return writer.bytes
    }

    /// Each path once, in the order of the routes.
    private var paths: [String] {
        var seen: Set<String> = []
        return routes.map(\.path).filter { seen.insert($0).inserted }
    }

    private func write(_ route: RouteDescription, to writer: inout JSONWriter) {
        writer.beginObject(route.method.rawValue.lowercased())
        writer.field("operationId", route.operationID)
        writer.field("summary", route.summary)
        writer.beginArray("tags")
        writer.string(route.tag)
        writer.endArray()
        writer.beginArray("security")
        if route.access != .open {
            for scheme in ["bearer", "key"] { writer.raw(#"{"\#(scheme)":[]}"#) }
        }
        writer.endArray()
        writer.field("x-capability", route.access.capability?.rawValue)
        writer.beginArray("parameters")
        for name in route.pathParameters {
            writer.raw(#"{"name":"\#(name)","in":"path","required":true,"schema":\#(JSONSchema.line)}"#)
        }
        for parameter in route.allParameters {
            write(parameter, as: parameter.name, parameter.summary, to: &writer)
            for alias in parameter.aliases {
                write(parameter, as: alias, "The same as '\(parameter.name)'.", to: &writer)
            }
        }
        writer.endArray()
        if let body = route.body {
            writer.beginObject("requestBody")
            writer.field("required", !route.isBodyOptional)
            writer.beginObject("content")
            let type = route.takesForm ? "application/x-www-form-urlencoded" : "application/json"
            writer.field(type, json: #"{"schema":\#(body.reference)}"#)
            if route.takesLines {
                writer.field("application/x-ndjson", json: #"{"schema":{"type":"string"}}"#)
            }
            if route.isTelemetry { writer.field(OpenAPIDocument.protobuf, json: OpenAPIDocument.bytes) }
            writer.endObject()
            writer.endObject()
        }
        writeAnswers(route, to: &writer)
        writer.endObject()
    }

    private func write(
        _ parameter: QueryParameter,
        as name: String,
        _ summary: String,
        to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.field("name", name)
        writer.field("in", "query")
        writer.field("description", summary)
        writer.field("schema", json: parameter.schema)
        writer.endObject()
    }

    private func writeAnswers(_ route: RouteDescription, to writer: inout JSONWriter) {
        writer.beginObject("responses")
        for status in Set(route.answers.map(\.status)).sorted() {
            writer.beginObject(String(status))
            writer.field("description", status == 101 ? "The socket is open." : "What was asked for.")
            let answers = route.answers.filter { $0.status == status && !$0.contentType.isEmpty }
            guard status != 204, !answers.isEmpty else {
                writer.endObject()
                continue
            }
            writer.beginObject("content")
            for answer in answers {
                writer.key(named: answer.contentType)
                let bare = answer.contentType.hasPrefix("image/") ? "{}" : #"{"type":"string"}"#
                let schema = answer.schema?.reference ?? bare
                writer.raw(#"{"schema":\#(schema)}"#)
            }
            if route.isTelemetry { writer.field(OpenAPIDocument.protobuf, json: OpenAPIDocument.bytes) }
            writer.endObject()
            writer.endObject()
        }
        if route.isConditional { writer.field("304", json: #"{"description":"As 'If-None-Match' says."}"#) }
        for status in route.allFaults {
            let kind = [429, 503].contains(status) ? "Later" : "Failure"
            if let failure = route.failure {
                writer.field(String(status), json: OpenAPIDocument.refusal(failure, isLater: kind == "Later"))
                continue
            }
            let whose = route.isTelemetry ? "Telemetry" : ""
            writer.field(String(status), json: ##"{"$ref":"#/components/responses/\##(whose)\##(kind)"}"##)
        }
        writer.endObject()
    }

    private static let retryAfter =
        #""headers":{"Retry-After":{"description":"Seconds.","schema":\#(JSONSchema.count)}}"#

    /// An error that has a form of its own. A request that is refused before its route is known gets the usual form.
    private static func refusal(_ schema: SchemaName, isLater: Bool) -> String {
        let form = JSONSchema.either([schema.reference, SchemaName.failure.reference])
        let (words, headers) = isLater ? ("Not now: a retry helps.", retryAfter + ",") : ("What went wrong.", "")
        return #"{"description":"\#(words)",\#(headers)"content":{"application/json":{"schema":\#(form)}}}"#
    }

    private static let protobuf = "application/x-protobuf"
    private static let bytes = #"{"schema":{"type":"string","format":"binary"}}"#

    private var components: [UInt8] {
        var writer = JSONWriter(reserving: 32 << 10)
        writer.beginObject()
        writer.beginObject("schemas")
        for (name, schema) in schemas { writer.field(name.rawValue, json: schema) }
        writer.endObject()
        let content = #""content":{"application/json":{"schema":\#(SchemaName.failure.reference)}}"#
        let headers = OpenAPIDocument.retryAfter
        writer.beginObject("responses")
        writer.field("Failure", json: #"{"description":"What went wrong.",\#(content)}"#)
        writer.field("Later", json: #"{"description":"Not now: a retry helps.",\#(headers),\#(content)}"#)
        // What is refused before the route is known has the usual form.
        let form = JSONSchema.either([SchemaName("TelemetryStatus").reference, SchemaName.failure.reference])
        let telemetry = #""\#(OpenAPIDocument.protobuf)":\#(OpenAPIDocument.bytes)"#
        let forms = #""content":{"application/json":{"schema":\#(form)},\#(telemetry)}"#
        writer.field("TelemetryFailure", json: #"{"description":"What went wrong.",\#(forms)}"#)
        writer.field("TelemetryLater", json: #"{"description":"Not now: a retry helps.",\#(headers),\#(forms)}"#)
        writer.endObject()
        let key = #"{"type":"apiKey","in":"header","name":"x-api-key"}"#
        let schemes = #"{"bearer":{"type":"http","scheme":"bearer"},"key":\#(key)}"#
        writer.field("securitySchemes", json: schemes)
        writer.endObject()
        return writer.bytes
    }
}

extension RouteDescription {
    /// The operation's id, such as `getV1SessionsIdEvents`.
    fileprivate var operationID: String {
        if let name { return name }
        let words = path.split { !$0.isLetter && !$0.isNumber }.filter { $0 != "api" }
        let name = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        return method.rawValue.lowercased() + (name.isEmpty ? "Root" : name)
    }

    fileprivate var tag: String {
        let words = path.split(separator: "/")
        guard let first = words.first, words.count > 1, first == "v1" || first == "api" else { return "server" }
        return String(words[1])
    }

    fileprivate var isConditional: Bool {
        method == .get && isCacheable && answers.contains { $0.status == 200 && $0.contentType != "text/event-stream" }
    }

    /// A malformed request, one for another host, or one from a foreign page is refused before its route is
    /// determined.
    private static let anywhere: Set<Int> = [400, 403, 421, 503]

    fileprivate var allFaults: [Int] {
        var faults = Set(faults).union(RouteDescription.anywhere)
        if body != nil { faults.formUnion([408, 411, 413, 500]) }
        if !pathParameters.isEmpty { faults.insert(404) }
        if access != .open { faults.formUnion([401, 429, 500]) }
        return faults.subtracting(answers.map(\.status)).sorted()
    }
}
