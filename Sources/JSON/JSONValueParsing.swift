extension JSONValue {
    /// Reads one JSON text of at most `maxDepth` nested levels. An integer above `Int64.max` becomes a `number`.
    public static func parse(_ bytes: [UInt8], maxDepth: Int = 64) throws(JSONError) -> JSONValue {
        try JSONParser(maxDepth: maxDepth).withDocument(bytes) { $0.value }
    }
}

extension JSONElement {
    /// A copy that outlives the document.
    public var value: JSONValue {
        switch kind {
        case .object: .object(members.map { ($0.name.string ?? "", $0.value.value) })
        case .array: .array(elements.map(\.value))
        case .string: .string(string ?? "")
        case .integer: .integer(integer ?? 0)
        case .unsigned, .double: .number(double ?? 0)
        case .true: .bool(true)
        case .false: .bool(false)
        case .null: .null
        }
    }
}
