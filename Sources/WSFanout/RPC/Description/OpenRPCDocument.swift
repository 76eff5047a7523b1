internal import EventModel
public import JSON

/// The methods of the WebSocket protocol as an OpenRPC 1.3 document.
public struct OpenRPCDocument: Sendable {
    let version: String
    let methods: RPCMethodTable

    public init(version: String, methods: RPCMethodTable = .standard) {
        self.version = version
        self.methods = methods
    }

    public static var schemas: [(SchemaName, String)] { JSONSchema.rpc }

    public var json: [UInt8] {
        var writer = JSONWriter(reserving: 128 << 10)
        writer.beginObject()
        writer.field("openrpc", "1.3.2")
        writer.beginObject("info")
        writer.field("title", "Claude Code Monitor, JSON-RPC 2.0 over WebSocket at /ws")
        writer.field("version", version)
        writer.endObject()
        writer.beginArray("methods")
        for method in methods.all { write(method, to: &writer) }
        writer.endArray()
        writer.beginArray("x-notifications")
        for notification in OpenRPCDocument.notifications { write(notification, to: &writer) }
        writer.endArray()
        writer.beginObject("components")
        writer.beginObject("schemas")
        for (name, schema) in JSONSchema.rpc { writer.field(name.rawValue, json: schema) }
        writer.endObject()
        writer.beginObject("errors")
        for kind in RPCErrorKind.allCases {
            writer.key(kind.rawValue)
            kind.example.write(to: &writer)
        }
        writer.endObject()
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }

    private func write(_ method: RPCMethod, to writer: inout JSONWriter) {
        let description = method.description
        writer.beginObject()
        writer.field("name", method.name)
        writer.field("summary", description.summary)
        writer.field("paramStructure", "by-name")
        writer.beginArray("params")
        for parameter in description.parameters { write(parameter, to: &writer) }
        writer.endArray()
        writer.beginObject("result")
        writer.field("name", "result")
        writer.field("schema", json: description.result.reference)
        writer.endObject()
        writer.beginArray("errors")
        for kind in method.errors { writer.raw(##"{"$ref":"#/components/errors/\##(kind.rawValue)"}"##) }
        writer.endArray()
        writer.field("x-capability", description.needs.rawValue)
        writer.endObject()
    }

    private func write(_ parameter: RPCParameter, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("name", parameter.name)
        writer.field("summary", parameter.summary)
        writer.field("required", parameter.isRequired)
        writer.field("schema", json: parameter.schema)
        if !parameter.spellings.isEmpty { writer.strings("x-spellings", parameter.spellings) }
        writer.endObject()
    }

    private static let notifications: [(name: String, summary: String, schema: SchemaName)] = [
        ("event/*", "An event of the log, 'event/' and its type.", "Event"),
        ("event/session_joined", "Another client views the session that this one views.", "SessionJoined"),
        ("event/session_left", "A client views the session no more.", "SessionLeft"),
        ("heartbeat", "Every 30 s, its members beside 'params' too; to cdev's clients bare.", "Heartbeat"),
    ]

    private func write(
        _ notification: (name: String, summary: String, schema: SchemaName),
        to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.field("name", notification.name)
        writer.field("summary", notification.summary)
        writer.field("schema", json: notification.schema.reference)
        writer.endObject()
    }
}

extension RPCMethod {
    /// What it may answer instead of a result, by the name of the kind.
    var errors: [RPCErrorKind] {
        var kinds = description.errors
        if name != LifecycleMethods.initialize.name { kinds.append(.invalidRequest) }
        if !description.parameters.isEmpty { kinds.append(.invalidParams) }
        if description.needs != .read { kinds.append(.notAllowed) }
        if case .deferred = body { kinds += [.unavailable, .internalError] }
        return kinds.sorted { $0.example.code > $1.example.code }
    }
}
