public import JSON

/// RFC 3339 in UTC, with milliseconds.
extension Timestamp: JSONMember {
    public static var jsonSchema: String { JSONSchema.time }
    public func writeJSON(to writer: inout JSONWriter) { writer.string(description) }
}

extension TokenUsage {
    public static let shape = ObjectShape<TokenUsage>("TokenUsage") { it in
        it.member("input_tokens") { $0.input }
        it.member("output_tokens") { $0.output }
        it.member("cache_read_tokens") { $0.cacheRead }
        it.member("cache_creation_tokens") { $0.cacheCreation }
    }
}

extension UnpricedUsage {
    public static let shape = ObjectShape<UnpricedUsage>("UnpricedUsage") { it in
        it.member("cost") { $0.cost }
        it.member("requests") { $0.requests }
        it.member("models") { $0.models }
    }
}
