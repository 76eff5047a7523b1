internal import HTTPModel
internal import JSON

/// The JSON Schemas of a request: of a function's parameters, and of the answer.
enum ChatSchema {
    /// The form of the answer by `response_format`; `nil` for text.
    static func ofAnswer(_ json: JSONValue) throws(APIError) -> JSONValue? {
        guard let format = json[ChatField.responseFormat.rawValue], format != .null else { return nil }
        switch format["type"]?.string {
        case "text": return nil
        case "json_object": return .object([("type", .string("object"))])
        case "json_schema":
            let place = "response_format.json_schema"
            guard let form = format["json_schema"], form["name"]?.string?.isWord(atMost: 64) == true else {
                throw .refused(.responseFormat, "The form of the answer needs a name.", at: place + ".name")
            }
            return try object(form["schema"], .responseFormat, place + ".schema")
        default:
            throw .refused(.responseFormat, "'response_format' must be text, json_object or json_schema.")
        }
    }

    /// A schema of objects. Claude Code would leave out a function or a form whose schema is none.
    static func object(_ value: JSONValue?, _ field: ChatField, _ place: String) throws(APIError) -> JSONValue {
        let schema = value ?? .null
        guard schema != .null else { return .object([("type", .string("object")), ("properties", .object([]))]) }
        guard case .object(let members) = schema, schema["type"] == nil || schema["type"] == .string("object") else {
            throw .refused(field, "A schema must be that of an object.", at: place)
        }
        if let properties = schema["properties"] {
            guard case .object(let list) = properties, list.allSatisfy({ $0.1.isObject }) else {
                throw .refused(field, "The properties of a schema must be objects.", at: place + ".properties")
            }
        }
        if let required = schema["required"] {
            guard let names = required.array, names.allSatisfy({ $0.string != nil }) else {
                throw .refused(field, "'required' of a schema must be a list of names.", at: place + ".required")
            }
        }
        return schema["type"] == nil ? .object([("type", .string("object"))] + members) : schema
    }
}
