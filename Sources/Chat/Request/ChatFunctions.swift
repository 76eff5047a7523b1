internal import HTTPModel
package import JSON

/// The functions that a request offers to the model, in Claude's form.
package struct ChatFunctions: Sendable, Equatable {
    /// The functions, each an object with `name`, `description` and `parameters`.
    package var list: [JSONValue] = []
    /// The API's `tool_choice`; `nil` leaves it to the model.
    package var choice: JSONValue?
    /// Whether the model must call a function. Such a turn is without thinking.
    var isForced = false

    private static let most = 128
    private static let mostNameBytes = 64
    /// Claude Code gives each function this name.
    static let prefix = "mcp__client__"

    init(_ json: JSONValue) throws(APIError) {
        if let tools = json[ChatField.tools.rawValue], tools != .null {
            guard let array = tools.array, array.count <= ChatFunctions.most else {
                throw .refused(.tools, "'tools' must be a list of at most \(ChatFunctions.most) functions.")
            }
            for (index, tool) in array.enumerated() { list.append(try function(tool, "tools[\(index)]")) }
        }
        let isSerial = try json.flag(.parallelToolCalls) == false && !list.isEmpty
        choice = try choice(json[ChatField.toolChoice.rawValue] ?? .null)
        guard isSerial, choice?["type"]?.string != "none" else { return }
        var members: [(String, JSONValue)] = [("type", .string("auto"))]
        if case .object(let chosen)? = choice { members = chosen }
        choice = .object(members + [("disable_parallel_tool_use", .bool(true))])
    }

    private func function(_ tool: JSONValue, _ place: String) throws(APIError) -> JSONValue {
        guard tool["type"]?.string == "function", let function = tool["function"], function.isObject else {
            throw .refused(.tools, "A tool must be a function of the caller's.", at: place)
        }
        guard let name = function["name"]?.string, ChatFunctions.isName(name) else {
            throw .refused(
                .tools,
                "A function's name has 1 to \(ChatFunctions.mostNameBytes) letters, digits, '_' and '-'.",
                at: place + ".function.name"
            )
        }
        guard !names.contains(name) else {
            throw .refused(.tools, "Two functions have the name '\(name)'.", at: place + ".function.name")
        }
        let parameters = try ChatSchema.object(function["parameters"], .tools, place + ".function.parameters")
        var members: [(String, JSONValue)] = [("name", .string(name))]
        if let words = function["description"]?.string { members.append(("description", .string(words))) }
        return .object(members + [("parameters", parameters)])
    }

    private mutating func choice(_ value: JSONValue) throws(APIError) -> JSONValue? {
        func type(_ word: String) -> JSONValue { .object([("type", .string(word))]) }
        if let name = value["function"]?["name"]?.string, value["type"]?.string == "function" {
            guard names.contains(name) else {
                throw .refused(.toolChoice, "'tool_choice' names no function of 'tools'.")
            }
            isForced = true
            return .object([("type", .string("tool")), ("name", .string(ChatFunctions.prefix + name))])
        }
        switch value {
        case .null, .string("auto"): return nil
        case .string("none"): return list.isEmpty ? nil : type("none")
        case .string("required") where !list.isEmpty:
            isForced = true
            return type("any")
        default:
            throw .refused(.toolChoice, "'tool_choice' must be none, auto, required or a function of 'tools'.")
        }
    }

    var names: Set<String> { Set(list.compactMap { $0["name"]?.string }) }

    static func isName(_ name: String) -> Bool { name.isWord(atMost: mostNameBytes) }
}

extension String {
    /// Letters, digits, `_` and `-`.
    func isWord(atMost bytes: Int) -> Bool {
        (1...bytes).contains(utf8.count)
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
