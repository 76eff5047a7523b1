internal import JSON

/// The tool router's own tools.
enum MetaTool: String, CaseIterable, Sendable {
    case search = "COMPOSIO_SEARCH_TOOLS"
    case schemas = "COMPOSIO_GET_TOOL_SCHEMAS"
    case execute = "COMPOSIO_MULTI_EXECUTE_TOOL"
    case connect = "COMPOSIO_MANAGE_CONNECTIONS"
    case wait = "COMPOSIO_WAIT_FOR_CONNECTIONS"

    /// Tools of Composio's cloud sandbox, which this server does not have.
    static let absent: Set<String> = [
        "COMPOSIO_REMOTE_WORKBENCH", "COMPOSIO_REMOTE_BASH_TOOL", "COMPOSIO_PROXY_EXECUTE",
    ]

    /// Whether the session has the tool. `wait` may be called without being listed.
    func isOffered(in config: SessionConfig) -> Bool {
        switch self {
        case .search, .schemas: config.searches
        case .execute: config.executesMany
        case .connect, .wait: config.managesConnections
        }
    }

    static func listed(in config: SessionConfig) -> [MetaTool] {
        allCases.filter { $0.isOffered(in: config) && ($0 != .wait || config.waitsForConnections) }
    }

    var title: String {
        switch self {
        case .search: "Search tools"
        case .schemas: "Get tool schemas"
        case .execute: "Execute tools"
        case .connect: "Manage connections"
        case .wait: "Wait for connections"
        }
    }

    var summary: String {
        switch self {
        case .search:
            "Finds tools for what a user wants to do, with what they take and whether their toolkits are connected. "
                + "Call it before other tools, with one query for each task."
        case .schemas: "Gives the whole schemas of tools that a search has named."
        case .execute:
            "Runs 1 to 50 tools, one after the other. Names and arguments come from a search. A person may be asked "
                + "before a tool runs."
        case .connect: "Begins logins at toolkits that need one. The user opens the address in the answer."
        case .wait: "Waits until the user has connected toolkits, for 600 seconds at most."
        }
    }

    /// JSON Schema of the arguments.
    var parameters: JSONValue { (try? JSONValue.parse(Array(schema.utf8))) ?? .object([]) }

    private var schema: String {
        switch self {
        case .search:
            """
            {"type":"object","properties":{"queries":{"type":"array","minItems":1,"maxItems":20,"items":{"type":\
            "object","properties":{"use_case":{"type":"string","maxLength":1024,"description":"What is to be done, in \
            English words."},"known_fields":{"type":"string","description":"What is known already."}},"required":\
            ["use_case"]}},"session":{"type":"object","properties":{"id":{"type":"string"},"generate_id":{"type":\
            "boolean"}}},"model":{"type":"string"}},"required":["queries"]}
            """
        case .schemas:
            """
            {"type":"object","properties":{"tool_slugs":{"type":"array","minItems":1,"maxItems":50,"items":{"type":\
            "string"}},"include":{"type":"array","items":{"type":"string","enum":["input_schema","output_schema"]}},\
            "session_id":{"type":"string"}},"required":["tool_slugs"]}
            """
        case .execute:
            """
            {"type":"object","properties":{"tools":{"type":"array","minItems":1,"maxItems":50,"items":{"type":"object",\
            "properties":{"tool_slug":{"type":"string"},"arguments":{"type":"object"},"account":{"type":"string"}},\
            "required":["tool_slug","arguments"]}},"sync_response_to_workbench":{"type":"boolean"},"thought":{"type":\
            "string"},"session_id":{"type":"string"}},"required":["tools"]}
            """
        case .connect:
            """
            {"type":"object","properties":{"toolkits":{"type":"array","minItems":1,"items":{"type":["string",\
            "object"]},"description":"Names of toolkits, or objects with name and action: add, list, rename or \
            remove."},"reinitiate_all":{"type":"boolean"},"session_id":{"type":"string"}},"required":["toolkits"]}
            """
        case .wait:
            """
            {"type":"object","properties":{"toolkits":{"type":"array","minItems":1,"items":{"type":"string"}},\
            "timeout_seconds":{"type":"integer","minimum":1,"maximum":600},"session_id":{"type":"string"}},\
            "required":["toolkits"]}
            """
        }
    }
}
