internal import HTTPModel
internal import JSON

/// `search_tools` and `call_tool`, for tools of machines that no list has.
enum MachineToolArguments {
    static let searchName = "search_tools"
    static let callName = "call_tool"
    private static let limits: ClosedRange<Int64> = 1...50
    private static let usualLimit: Int64 = 10

    /// The tools as clients get them.
    static let json: [[UInt8]] = [
        Array(
            """
            {"name":"search_tools","title":"Search tools","description":"Finds tools of the MCP servers of machines by \
            words. call_tool calls them.","inputSchema":{"type":"object","properties":{"query":{"type":"string",\
            "minLength":1,"maxLength":1000,"description":"What the tool shall do, in words."},\
            "machine_id":{"type":"string","description":"Only tools of this machine."},"limit":{"type":"integer",\
            "minimum":1,"maximum":50,"description":"How many; 10 by default."}},"required":["query"],\
            "additionalProperties":false},"annotations":{"title":"Search tools","readOnlyHint":true,\
            "destructiveHint":false,"idempotentHint":true,"openWorldHint":false}}
            """.utf8
        ),
        Array(
            """
            {"name":"call_tool","title":"Call a tool","description":"Calls a tool that search_tools has found. A \
            person is asked before the tool runs, so the call may take long.","inputSchema":{"type":"object",\
            "properties":{"name":{"type":"string","minLength":1,"maxLength":300,"description":"The tool's name."},\
            "arguments":{"type":"object","description":"What the tool is called with."},"project_id":{"type":"string",\
            "description":"The project in whose directory the tool runs, if its server belongs to the whole machine."},\
            "session_id":{"type":"string","description":"Instead: the session whose process calls the tool."},\
            "machine_id":{"type":"string","description":"The machine, if several have the tool."}},\
            "required":["name"],"additionalProperties":false},"annotations":{"title":"Call a tool",\
            "readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":true}}
            """.utf8
        ),
    ]

    static func search(_ arguments: JSONValue) throws(APIError) -> MachineToolSearch {
        try check(arguments, ["query", "machine_id", "limit"])
        guard let words = try text("query", 1000, arguments) else {
            throw .invalid("missing_parameter", "'query' is missing.", param: "query")
        }
        let limit = arguments["limit"].map { $0 == .null ? usualLimit : $0.integer } ?? usualLimit
        guard let limit, limits.contains(limit) else {
            throw .invalid("invalid_parameter", "'limit' must be a whole number from 1 to 50.", param: "limit")
        }
        return MachineToolSearch(words: words, machine: try text("machine_id", 200, arguments), limit: Int(limit))
    }

    static func call(_ arguments: JSONValue) throws(APIError) -> MachineToolCall {
        try check(arguments, ["name", "arguments", "project_id", "session_id", "machine_id"])
        guard let name = try text("name", 300, arguments) else {
            throw .invalid("missing_parameter", "'name' is missing.", param: "name")
        }
        let given = arguments["arguments"].flatMap { $0 == .null ? nil : $0 } ?? .object([])
        guard given.isObject else {
            throw .invalid("invalid_parameter", "'arguments' must be an object.", param: "arguments")
        }
        var call = MachineToolCall(listed: name, given)
        call.isListed = false
        (call.project, call.session) = (try text("project_id", 200, arguments), try text("session_id", 200, arguments))
        call.machine = try text("machine_id", 200, arguments)
        return call
    }

    private static func check(_ arguments: JSONValue, _ known: Set<String>) throws(APIError) {
        guard case .object(let members) = arguments,
            let unknown = members.first(where: { !known.contains($0.0) })?.0
        else { return }
        let named = PlainText.line(unknown, atMost: 64)
        throw .invalid("invalid_parameter", "There is no argument '\(named)'.", param: named)
    }

    private static func text(_ name: String, _ most: Int, _ arguments: JSONValue) throws(APIError) -> String? {
        guard let value = arguments[name], value != .null else { return nil }
        guard let text = value.string, (1...most).contains(text.utf8.count),
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw .invalid("invalid_parameter", "'\(name)' must be a text of 1 to \(most) bytes.", param: name)
        }
        return text
    }
}
