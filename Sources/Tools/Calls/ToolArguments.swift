internal import HTTPModel
internal import JSON

/// The arguments of a call, with numbers as they reach the tool: Claude Code reads each as a double and writes it anew.
/// Names occur once. So what a person is shown is what the tool gets.
enum ToolArguments {
    /// Whole numbers up to this one are kept exactly.
    private static let mostExact = Int64(1) << 53 - 1

    /// - Parameter parameter: the name of the parameter that has the arguments.
    static func exact(_ value: JSONValue, _ parameter: String) throws(APIError) -> JSONValue {
        switch value {
        case .integer(let number):
            guard (-mostExact...mostExact).contains(number) else { throw tooLarge(parameter) }
            return value
        case .number(let number):
            guard number.rounded() == number else { return value }
            guard let whole = Int64(exactly: number), (-mostExact...mostExact).contains(whole) else {
                throw tooLarge(parameter)
            }
            return .integer(whole)
        case .array(let values):
            var exact: [JSONValue] = []
            for value in values { exact.append(try ToolArguments.exact(value, parameter)) }
            return .array(exact)
        case .object(let members):
            guard !hasRepeats(members) else {
                throw .invalid("invalid_parameter", "An object names a member twice.", param: parameter)
            }
            var exact: [(String, JSONValue)] = []
            for (name, value) in members { exact.append((name, try ToolArguments.exact(value, parameter))) }
            return .object(exact)
        case .null, .bool, .string: return value
        }
    }

    /// If two members had one name, one would be shown, and a tool could read the other. Names are compared by bytes.
    private static func hasRepeats(_ members: [(String, JSONValue)]) -> Bool {
        Set(members.map { Array($0.0.utf8) }).count < members.count
    }

    private static func tooLarge(_ parameter: String) -> APIError {
        .invalid(
            "invalid_parameter",
            "Claude Code does not keep whole numbers beyond 2^53 exactly. Give a text if the tool takes one.",
            param: parameter
        )
    }
}
