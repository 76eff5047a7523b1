internal import JSON

/// The methods of the WebSocket protocol as an OpenRPC document.
struct OpenRPCDocument {
    let version: String
    /// As they are registered.
    let methods: [String]

    var json: [UInt8] {
        var writer = JSONWriter(reserving: 16 << 10)
        writer.beginObject()
        writer.field("openrpc", "1.3.2")
        writer.beginObject("info")
        writer.field("title", "Claude Code Monitor, JSON-RPC 2.0 over WebSocket at /ws")
        writer.field("version", version)
        writer.endObject()
        writer.beginArray("methods")
        for name in methods { write(name, RPCDescription.all[name] ?? RPCDescription(), to: &writer) }
        writer.endArray()
        writer.beginArray("x-notifications")
        for name in ["event/*", "heartbeat"] { writer.string(name) }
        writer.endArray()
        writer.beginObject("components")
        writer.beginObject("schemas")
        for (name, schema) in Schemas.all { writer.field(name.rawValue, json: schema.utf8) }
        writer.endObject()
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }

    private func write(_ name: String, _ method: RPCDescription, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("name", name)
        writer.field("summary", method.summary)
        writer.field("paramStructure", "by-name")
        writer.beginArray("params")
        for parameter in method.params {
            writer.beginObject()
            writer.field("name", parameter.name)
            writer.field("summary", parameter.summary)
            writer.field("required", false)
            writer.field("schema", json: parameter.schema.utf8)
            writer.endObject()
        }
        writer.endArray()
        writer.beginObject("result")
        writer.field("name", "result")
        writer.field("schema", json: method.result.reference.utf8)
        writer.endObject()
        writer.endObject()
    }
}

/// What the documents say of one method.
struct RPCDescription: Sendable {
    struct Parameter: Sendable {
        var name: String
        var schema: String
        var summary: String
    }

    var summary = ""
    var params: [Parameter] = []
    var result: SchemaName = "Empty"

    static let all: [String: RPCDescription] = [
        "initialize": RPCDescription(
            summary: "The first call on a socket; from then on events come.",
            params: [
                Parameter(name: "clientInfo", schema: Schemas.any, summary: "Name and version; 'client_info' as well.")
            ],
            result: "Initialized"
        ),
        "initialized": RPCDescription(summary: "The client is ready."),
        "shutdown": RPCDescription(summary: "Ends the conversation; the socket is closed.", result: "ShutDown"),
        "ping": RPCDescription(summary: "For clients that cannot send WebSocket pings."),
        "event/subscribe": RPCDescription(
            summary: "Replaces the running subscription.",
            params: [
                Parameter(name: "types", schema: Schemas.texts, summary: "Only events of these types."),
                Parameter(name: "session_id", schema: Schemas.text, summary: "Only events of this session."),
                Parameter(name: "workspace_id", schema: Schemas.text, summary: "Only events of this project."),
                Parameter(name: "since", schema: Schemas.one("StreamPosition"), summary: "Resume behind this place."),
            ],
            result: "Subscribed"
        ),
        "event/unsubscribe": RPCDescription(summary: "No events from now on."),
        "status/health": RPCDescription(summary: "Whether events can be committed.", result: "RPCHealth"),
    ]
}
