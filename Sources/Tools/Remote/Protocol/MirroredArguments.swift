internal import HTTPClient
internal import JSON

/// Arguments that a tool's schema marks with `x-mcp-header`: the client repeats them in headers. Pure.
struct MirroredArguments: Sendable, Equatable {
    private static let mark = "x-mcp-header"
    private static let kinds: Set<String> = ["string", "integer", "number", "boolean"]

    /// The properties of the arguments, and the headers' names.
    let headers: [String: String]

    /// Returns `nil` if a mark is not valid. Such a tool must not be used.
    init?(_ schema: JSONValue) {
        guard case .object(let properties)? = schema["properties"] else {
            headers = [:]
            return
        }
        var (headers, seen) = ([String: String](), Set<String>())
        for (property, schema) in properties {
            guard let mark = schema[MirroredArguments.mark] else { continue }
            guard let name = mark.string, OutboundRequest.maySet("Mcp-Param-" + name, ""), !name.isEmpty,
                let kind = schema["type"]?.string, MirroredArguments.kinds.contains(kind),
                seen.insert(name.lowercased()).inserted
            else { return nil }
            headers[property] = name
        }
        self.headers = headers
    }

    /// The headers of a call.
    func values(of arguments: JSONValue) -> [(name: String, value: String)] {
        headers.sorted { $0.key < $1.key }.compactMap { property, name in
            switch arguments[property] {
            case .string(let text)?: (name, text)
            case .bool(let value)?: (name, value ? "true" : "false")
            case .integer(let value)?: (name, String(value))
            case .number(let value)?: (name, String(value))
            case .null?, .array?, .object?, nil: nil
            }
        }
    }
}
