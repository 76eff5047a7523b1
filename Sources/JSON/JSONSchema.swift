/// The name of a schema that a document stores under `components/schemas`.
public struct SchemaName: Sendable, Hashable, ExpressibleByStringLiteral {
    public let rawValue: String

    public init(stringLiteral value: String) {
        rawValue = value
    }

    public var reference: String { ##"{"$ref":"#/components/schemas/\##(rawValue)"}"## }
}

/// Schemas (JSON Schema 2020-12) as text, composed of smaller ones.
public enum JSONSchema {
    public static let text = #"{"type":"string"}"#
    public static let textOrNull = #"{"type":["string","null"]}"#
    public static let texts = #"{"type":"array","items":{"type":"string"}}"#
    public static let count = #"{"type":"integer","minimum":0}"#
    public static let number = #"{"type":"number"}"#
    public static let flag = #"{"type":"boolean"}"#
    public static let time = #"{"type":"string","format":"date-time"}"#
    public static let date = #"{"type":"string","format":"date"}"#
    /// A time that the server accepts: years 1970 to 9999.
    public static let sentTime = #"{"type":"string","format":"date-time","pattern":"\#(sentYear)"}"#
    public static let sentDate = #"{"type":"string","format":"date","pattern":"\#(sentYear)"}"#
    private static let sentYear = "^(19[7-9][0-9]|[2-9][0-9]{3})-"
    public static let dateOrNull = #"{"type":["string","null"],"format":"date"}"#
    /// A text in a URL. A request whose URL contains a line break is never accepted.
    public static let line = #"{"type":"string","pattern":"^[^\\r\\n]*$"}"#
    /// A string without control characters (Unicode's category Cc).
    public static func printable(_ most: Int) -> String {
        #"{"type":"string","minLength":1,"maxLength":\#(most),"pattern":"^[^\\u0000-\\u001f\\u007f-\\u009f]*$"}"#
    }

    /// For a member that may be null instead of absent.
    public static func nullable(_ schema: String) -> String { either([schema, #"{"type":"null"}"#]) }
    public static let any = #"{"type":"object"}"#

    /// An object. Members whose names end with a question mark may be absent. Other members are allowed.
    public static func object(_ members: KeyValuePairs<String, String>) -> String {
        let required = members.map(\.key).filter { !$0.hasSuffix("?") }.map { "\"\($0)\"" }
        let properties = members.map { name, type in
            let name = name.hasSuffix("?") ? String(name.dropLast()) : name
            return "\"\(name)\":\(type)"
        }
        return #"{"type":"object","required":[\#(required.joined(separator: ","))],"#
            + #""properties":{\#(properties.joined(separator: ","))}}"#
    }

    /// An object that has no other members.
    public static func closed(_ members: KeyValuePairs<String, String>) -> String {
        object(members).dropLast() + #","additionalProperties":false}"#
    }

    public static func one(_ name: SchemaName) -> String { name.reference }
    public static func list(_ name: SchemaName) -> String { array(name.reference) }
    public static func array(_ items: String) -> String { #"{"type":"array","items":\#(items)}"# }
    public static func all(of schemas: String...) -> String { #"{"allOf":[\#(schemas.joined(separator: ","))]}"# }
    public static func either(_ schemas: [String]) -> String { #"{"anyOf":[\#(schemas.joined(separator: ","))]}"# }
    public static func words(_ values: String...) -> String { choice(values) }

    public static func choice(_ values: [String]) -> String {
        #"{"type":"string","enum":[\#(values.map { "\"\($0)\"" }.joined(separator: ","))]}"#
    }

    public static func bounded(_ most: Int, least: Int = 0) -> String {
        #"{"type":"string","minLength":\#(least),"maxLength":\#(most)}"#
    }

    public static func integer(_ range: ClosedRange<Int64>) -> String {
        #"{"type":"integer","minimum":\#(range.lowerBound),"maximum":\#(range.upperBound)}"#
    }

    /// Removes duplicate names. Keeps the first definition of each.
    public static func once(_ definitions: [(SchemaName, String)]) -> [(SchemaName, String)] {
        var seen: Set<SchemaName> = []
        return definitions.filter { seen.insert($0.0).inserted }
    }
}
