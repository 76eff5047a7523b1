/// Describes how a value is encoded as a JSON object: its members in order, each with name, schema and source.
/// The encoder and the JSON Schema use the same list, so they cannot differ.
///
///     static let shape = ObjectShape<Pet>("Pet") { it in
///         it.member("name") { $0.name }
///         it.list("friends", of: Friend.shape) { $0.friends }
///     }
///
/// Each member costs a call through a closure, so values that are written for every event of the stream do not use
/// a shape.
public struct ObjectShape<Value>: Sendable {
    private struct Member: Sendable {
        let name: String
        let schema: String
        let isRequired: Bool
        let write: @Sendable (Value, inout JSONWriter) -> Void
    }

    /// The name under which documents store the schema. If `nil`, the schema is written inline wherever it is used.
    public let name: SchemaName?
    private var members: [Member] = []
    private var writeBase: (@Sendable (Value, inout JSONWriter) -> Void)?
    private var baseSchema: String?
    private var used: [(SchemaName, String)] = []

    public init(_ name: SchemaName? = nil, _ describe: (inout ObjectShape) -> Void) {
        self.name = name
        describe(&self)
    }

    /// Creates an object that has the members of another object before its own.
    public init<Base>(
        _ name: SchemaName? = nil,
        extending base: ObjectShape<Base>,
        _ value: @escaping @Sendable (Value) -> Base,
        _ describe: (inout ObjectShape) -> Void = { _ in }
    ) {
        self.name = name
        writeBase = { base.writeMembers(of: value($0), to: &$1) }
        baseSchema = base.schema
        used = base.definitions
        describe(&self)
    }

    /// The names of the members, without those of a base.
    public var memberNames: Set<String> { Set(members.map(\.name)) }

    /// The object with these members alone, without a name of its own.
    public func only(_ names: Set<String>) -> ObjectShape {
        ObjectShape { $0.members = members.filter { names.contains($0.name) } }
    }

    // MARK: Writing

    public func write(_ value: Value, to writer: inout JSONWriter) {
        writer.beginObject()
        writeMembers(of: value, to: &writer)
        writer.endObject()
    }

    /// Writes the members without the braces.
    public func writeMembers(of value: Value, to writer: inout JSONWriter) {
        writeBase?(value, &writer)
        for member in members { member.write(value, &writer) }
    }

    public func json(_ value: Value, reserving capacity: Int = 512) -> [UInt8] {
        var writer = JSONWriter(reserving: capacity)
        write(value, to: &writer)
        return writer.bytes
    }

    // MARK: The schema

    /// The schema for use in other schemas: a reference if the object has a name, otherwise the definition.
    public var schema: String { name?.reference ?? definition }

    /// The object's own definition and all definitions that it refers to, each with its name. May contain duplicates.
    public var definitions: [(SchemaName, String)] { used + (name.map { [($0, definition)] } ?? []) }

    private var definition: String {
        let required = members.filter(\.isRequired).map { "\"\($0.name)\"" }.joined(separator: ",")
        let properties = members.map { "\"\($0.name)\":\($0.schema)" }.joined(separator: ",")
        let own = #"{"type":"object","required":[\#(required)],"properties":{\#(properties)}}"#
        return baseSchema.map { members.isEmpty ? $0 : JSONSchema.all(of: $0, own) } ?? own
    }
}

extension ObjectShape {
    /// - Parameter schema: a schema that is narrower than the default one of the member's type.
    public mutating func member<M: JSONMember>(
        _ name: String,
        as schema: String = M.jsonSchema,
        _ value: @escaping @Sendable (Value) -> M
    ) {
        custom(name, schema) { value($0).writeJSON(to: &$1) }
    }

    /// A member that may be absent.
    public mutating func member<M: JSONMember>(
        _ name: String,
        as schema: String = M.jsonSchema,
        _ value: @escaping @Sendable (Value) -> M?
    ) {
        add(name, schema, isRequired: false) { shown, writer in
            guard let member = value(shown) else { return }
            writer.key(name)
            member.writeJSON(to: &writer)
        }
    }

    /// A member that is null if it has no value.
    public mutating func memberOrNull<M: JSONMember>(
        _ name: String,
        as schema: String = M.nullableJSONSchema,
        _ value: @escaping @Sendable (Value) -> M?
    ) {
        custom(name, schema) { shown, writer in
            if let member = value(shown) { member.writeJSON(to: &writer) } else { writer.raw("null") }
        }
    }

    /// A member whose value is one of the raw values of an enumeration.
    public mutating func word<Word: RawRepresentable & CaseIterable & SendableMetatype>(
        _ name: String,
        _ value: @escaping @Sendable (Value) -> Word
    ) where Word.RawValue == String {
        member(name, as: JSONSchema.choice(Word.allCases.map(\.rawValue))) { value($0).rawValue }
    }

    /// A member whose value is one of the raw values of an enumeration. It may be absent.
    public mutating func word<Word: RawRepresentable & CaseIterable & SendableMetatype>(
        _ name: String,
        _ value: @escaping @Sendable (Value) -> Word?
    ) where Word.RawValue == String {
        member(name, as: JSONSchema.choice(Word.allCases.map(\.rawValue))) { value($0)?.rawValue }
    }

    /// A member that always has the same value.
    public mutating func constant(_ name: String, _ word: String) {
        member(name, as: JSONSchema.words(word)) { _ in word }
    }

    public mutating func object<Part>(
        _ name: String,
        _ shape: ObjectShape<Part>,
        _ value: @escaping @Sendable (Value) -> Part
    ) {
        used += shape.definitions
        custom(name, shape.schema) { shape.write(value($0), to: &$1) }
    }

    /// An object that may be absent.
    public mutating func object<Part>(
        _ name: String,
        _ shape: ObjectShape<Part>,
        _ value: @escaping @Sendable (Value) -> Part?
    ) {
        used += shape.definitions
        add(name, shape.schema, isRequired: false) { shown, writer in
            guard let part = value(shown) else { return }
            writer.key(name)
            shape.write(part, to: &writer)
        }
    }

    /// An object that is null if it has no value.
    public mutating func objectOrNull<Part>(
        _ name: String,
        _ shape: ObjectShape<Part>,
        _ value: @escaping @Sendable (Value) -> Part?
    ) {
        used += shape.definitions
        custom(name, JSONSchema.nullable(shape.schema)) { shown, writer in
            if let part = value(shown) { shape.write(part, to: &writer) } else { writer.raw("null") }
        }
    }

    /// An object without a name of its own.
    public mutating func object(_ name: String, _ describe: (inout ObjectShape) -> Void) {
        object(name, ObjectShape(nil, describe)) { $0 }
    }

    public mutating func list<Element>(
        _ name: String,
        of shape: ObjectShape<Element>,
        _ elements: @escaping @Sendable (Value) -> [Element]
    ) {
        used += shape.definitions
        custom(name, JSONSchema.array(shape.schema)) { value, writer in
            writer.beginArray()
            for element in elements(value) { shape.write(element, to: &writer) }
            writer.endArray()
        }
    }

    /// A member that a closure writes as one JSON value. The definitions that its schema refers to are listed
    /// elsewhere.
    public mutating func custom(
        _ name: String,
        _ schema: String,
        _ write: @escaping @Sendable (Value, inout JSONWriter) -> Void
    ) {
        add(name, schema, isRequired: true) { value, writer in
            writer.key(name)
            write(value, &writer)
        }
    }

    private mutating func add(
        _ name: String,
        _ schema: String,
        isRequired: Bool,
        _ write: @escaping @Sendable (Value, inout JSONWriter) -> Void
    ) {
        members.append(Member(name: name, schema: schema, isRequired: isRequired, write: write))
    }
}
