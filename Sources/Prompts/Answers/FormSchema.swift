internal import HTTPModel
internal import JSON

/// The schema of an elicitation's form: an object with members of simple types, as MCP defines it. Claude Code does
/// not check an answer against it.
struct FormSchema {
    private let properties: [(String, JSONValue)]
    private let required: Set<String>

    init(_ schema: JSONValue) {
        if case .object(let members)? = schema["properties"] { properties = members } else { properties = [] }
        required = Set((schema["required"]?.array ?? []).compactMap(\.string))
    }

    func check(_ content: JSONValue) throws(APIError) {
        guard case .object(let members) = content else { throw .unfit("'content' must be an object.", "content") }
        for name in required.sorted() where content[name] == nil {
            throw .unfit("'content' lacks '\(name)'.", "content")
        }
        for (name, value) in members {
            guard let schema = properties.first(where: { $0.0 == name })?.1 else {
                throw .unfit("'content' has '\(name)', which the form does not have.", "content")
            }
            guard FormSchema.fits(value, schema) else {
                throw .unfit("'content' has a value for '\(name)' that the form does not allow.", "content")
            }
        }
    }

    private static func fits(_ value: JSONValue, _ schema: JSONValue) -> Bool {
        if let choices = choices(schema) { return choices.contains(value) }
        switch schema["type"]?.string {
        case "string": return value.string.map { fits($0, schema) } ?? false
        case "integer": return value.integer.map { fits(Double($0), schema) } ?? false
        case "number": return value.double.map { fits($0, schema) } ?? false
        case "boolean": return value.bool != nil
        case "array":
            guard let values = value.array, let items = schema["items"] else { return false }
            return values.allSatisfy { fits($0, items) } && isCount(values.count, schema, "minItems", "maxItems")
        default: return true
        }
    }

    private static func choices(_ schema: JSONValue) -> [JSONValue]? {
        if let list = schema["enum"]?.array { return list }
        let titled = schema["oneOf"]?.array ?? schema["anyOf"]?.array
        return titled.map { $0.compactMap { $0["const"] } }.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func fits(_ text: String, _ schema: JSONValue) -> Bool {
        isCount(text.unicodeScalars.count, schema, "minLength", "maxLength")
    }

    private static func fits(_ number: Double, _ schema: JSONValue) -> Bool {
        (schema["minimum"]?.double.map { number >= $0 } ?? true)
            && (schema["maximum"]?.double.map { number <= $0 } ?? true)
    }

    private static func isCount(_ count: Int, _ schema: JSONValue, _ least: String, _ most: String) -> Bool {
        (schema[least]?.integer.map { Int64(count) >= $0 } ?? true)
            && (schema[most]?.integer.map { Int64(count) <= $0 } ?? true)
    }
}

extension JSONValue {
    fileprivate var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }
}
