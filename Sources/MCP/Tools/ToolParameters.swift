internal import HTTPModel
internal import JSON

/// The arguments of a call as texts, in the way that a URL's query carries them.
struct ToolParameters: Sendable, Equatable {
    private(set) var values: [String: String] = [:]

    private static let maximumBytes = 4096

    init(_ arguments: JSONValue, of tool: Tool) throws(APIError) {
        guard case .object(let members) = arguments else {
            throw .invalid("invalid_parameter", "The arguments must be an object.")
        }
        for (name, value) in members {
            guard tool.arguments.contains(where: { $0.name == name }) else {
                let names = tool.arguments.map(\.name).joined(separator: ", ")
                throw .invalid("invalid_parameter", "There is no argument '\(name)'. Those here are \(names).")
            }
            values[name] = try ToolParameters.text(value, name)
        }
        for argument in tool.arguments where values[argument.name] == nil {
            guard !argument.isRequired else {
                throw .invalid("missing_parameter", "'\(argument.name)' is missing.", param: argument.name)
            }
            values[argument.name] = argument.usual
        }
    }

    /// The parameters without these, for a route that does not know them.
    func without(_ names: String...) -> ToolParameters {
        var kept = self
        for name in names { kept.values[name] = nil }
        return kept
    }

    /// `nil` for null, which means that the argument is absent.
    private static func text(_ value: JSONValue, _ name: String) throws(APIError) -> String? {
        switch value {
        case .null: return nil
        case .bool(let value): return value ? "true" : "false"
        case .integer(let value): return String(value)
        // Some clients write whole numbers with a fraction of zero.
        case .number where value.integer != nil: return value.integer.map { String($0) }
        case .string(let text):
            guard !text.isEmpty, text.utf8.count <= maximumBytes,
                !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
            else {
                throw .invalid(
                    "invalid_parameter",
                    "'\(name)' must be 1 to \(maximumBytes) bytes, without control characters.",
                    param: name
                )
            }
            return text
        default: throw .invalid("invalid_parameter", "'\(name)' is of another type.", param: name)
        }
    }
}
