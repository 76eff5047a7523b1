internal import API
internal import JSON

/// A tool, as clients see it, and the route that answers it.
struct Tool: Sendable {
    var name: String
    var title: String
    var summary: String
    /// The route's template.
    var path: String
    var arguments: [ToolArgument]
    /// The name of the list in the answer, for a route that answers with a list.
    var list: String?
    /// Parameters that callers cannot choose.
    var fixed: [String: String] = [:]
    /// What keeps a machine's key to its machine.
    var bound: MachineBound
    /// Whether the call waits until the session is in the state that the caller names.
    var isWait = false

    /// How an answer is kept to one machine.
    enum MachineBound: Sendable, Equatable {
        /// The route's filter for machines.
        case filter
        /// The call names a session, and that must be one of the machine.
        case session
        /// Another route answers, whose `id` is the machine.
        case route(String)
        /// The tool is not for machines.
        case closed
    }

    /// The tool as clients get it.
    var json: [UInt8] {
        var writer = JSONWriter(reserving: 2048)
        writer.beginObject()
        writer.field("name", name)
        writer.field("title", title)
        writer.field("description", summary)
        writer.beginObject("inputSchema")
        writer.field("type", "object")
        writer.beginObject("properties")
        for argument in arguments { writer.field(argument.name, json: argument.describedSchema) }
        writer.endObject()
        writer.beginArray("required")
        for argument in arguments where argument.isRequired { writer.string(argument.name) }
        writer.endArray()
        writer.field("additionalProperties", false)
        writer.endObject()
        writer.beginObject("annotations")
        writer.field("title", title)
        writer.field("readOnlyHint", true)
        writer.field("destructiveHint", false)
        writer.field("idempotentHint", true)
        writer.field("openWorldHint", false)
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }
}

struct ToolArgument: Sendable {
    var name: String
    /// JSON Schema.
    var schema: String
    var summary: String
    var isRequired = false
    /// What counts if the caller says nothing.
    var usual: String?

    static let session = ToolArgument(
        name: "session_id",
        schema: JSONSchema.bounded(200, least: 1),
        summary: "The id of the session.",
        isRequired: true
    )

    /// The schema with the summary.
    var describedSchema: [UInt8] {
        var writer = JSONWriter()
        guard case .object(let members)? = try? JSONValue.parse(Array(schema.utf8)) else { return Array(schema.utf8) }
        writer.value(.object(members + [("description", .string(summary))]))
        return writer.bytes
    }
}
