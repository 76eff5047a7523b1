import EventModel
package import JSON

/// The methods of an interface as an OpenRPC 1.3 document.
package struct OpenRPCDocument: Sendable {
    package struct Method: Sendable {
        let name: String
        let description: RPCDescription
        /// The errors that the method may return.
        let errors: [RPCErrorKind]

        package init(name: String, description: RPCDescription, errors: [RPCErrorKind]) {
            (self.name, self.description, self.errors) = (name, description, errors)
        }
    }

    /// A notification that this end sends.
    package struct Notification: Sendable {
        let name: String
        let summary: String
        let schema: SchemaName

        package init(_ name: String, _ summary: String, _ schema: SchemaName) {
            (self.name, self.summary, self.schema) = (name, summary, schema)
        }
    }

    private let title: String
    private let version: String
    private let methods: [Method]
    private let notifications: [Notification]
    private let schemas: [(SchemaName, String)]
    private let errors: [RPCErrorKind]

    /// - Parameters:
    ///   - schemas: all schemas that methods and notifications refer to.
    ///   - errors: all errors that methods name.
    package init(
        title: String,
        version: String,
        methods: [Method],
        notifications: [Notification],
        schemas: [(SchemaName, String)],
        errors: [RPCErrorKind]
    ) {
        (self.title, self.version, self.methods) = (title, version, methods)
        (self.notifications, self.schemas, self.errors) = (notifications, schemas, errors)
    }

    package var json: [UInt8] {
        var writer = JSONWriter(reserving: 128 << 10)
        writer.beginObject()
        writer.field("openrpc", "1.3.2")
        writer.beginObject("info")
        writer.field("title", title)
        writer.field("version", version)
        writer.endObject()
        writer.beginArray("methods")
        for method in methods { write(method, to: &writer) }
        writer.endArray()
        writer.beginArray("x-notifications")
        for notification in notifications { write(notification, to: &writer) }
        writer.endArray()
        writer.beginObject("components")
        writer.beginObject("schemas")
        for (name, schema) in schemas { writer.field(name.rawValue, json: schema) }
        writer.endObject()
        writer.beginObject("errors")
        for kind in errors {
            writer.key(kind.name)
            kind.example.write(to: &writer)
        }
        writer.endObject()
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }

    private func write(_ method: Method, to writer: inout JSONWriter) {
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
        for kind in method.errors.sorted(by: { $0.example.code > $1.example.code }) {
            writer.raw(##"{"$ref":"#/components/errors/\##(kind.name)"}"##)
        }
        writer.endArray()
        writer.field("x-capability", description.needs.rawValue)
        writer.field("x-capability-or", description.orNeeds?.rawValue)
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

    private func write(_ notification: Notification, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("name", notification.name)
        writer.field("summary", notification.summary)
        writer.field("schema", json: notification.schema.reference)
        writer.endObject()
    }
}
