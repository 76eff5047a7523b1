/// A type of values that a member of an object may have, with its default schema.
public protocol JSONMember: SendableMetatype {
    static var jsonSchema: String { get }
    static var nullableJSONSchema: String { get }

    /// Writes one JSON value.
    func writeJSON(to writer: inout JSONWriter)
}

extension JSONMember {
    public static var nullableJSONSchema: String { JSONSchema.nullable(jsonSchema) }
}

extension String: JSONMember {
    public static var jsonSchema: String { JSONSchema.text }
    public static var nullableJSONSchema: String { JSONSchema.textOrNull }
    public func writeJSON(to writer: inout JSONWriter) { writer.string(self) }
}

/// A count: not negative.
extension Int64: JSONMember {
    public static var jsonSchema: String { JSONSchema.count }
    public func writeJSON(to writer: inout JSONWriter) { writer.integer(self) }
}

extension Int: JSONMember {
    public static var jsonSchema: String { JSONSchema.count }
    public func writeJSON(to writer: inout JSONWriter) { writer.integer(Int64(self)) }
}

extension Double: JSONMember {
    public static var jsonSchema: String { JSONSchema.number }
    public func writeJSON(to writer: inout JSONWriter) { writer.number(self) }
}

extension Bool: JSONMember {
    public static var jsonSchema: String { JSONSchema.flag }
    public func writeJSON(to writer: inout JSONWriter) { writer.bool(self) }
}

extension [String]: JSONMember {
    public static var jsonSchema: String { JSONSchema.texts }
    public func writeJSON(to writer: inout JSONWriter) {
        writer.beginArray()
        for text in self { writer.string(text) }
        writer.endArray()
    }
}

/// An object.
extension JSONValue: JSONMember {
    public static var jsonSchema: String { JSONSchema.any }
    public func writeJSON(to writer: inout JSONWriter) { writer.value(self) }
}

/// One object that is already encoded as JSON text.
public struct JSONText: JSONMember {
    public static var jsonSchema: String { JSONSchema.any }
    private let bytes: [UInt8]

    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    public func writeJSON(to writer: inout JSONWriter) { writer.raw(bytes) }
}
