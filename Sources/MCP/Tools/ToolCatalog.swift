internal import API
internal import HTTPModel
internal import JSON

/// The tools and their routes. A tool's arguments are parameters of its route, so that both mean the same.
struct ToolCatalog: Sendable {
    let tools: [Tool]
    /// The routes that tools use, by their templates.
    private let routes: [String: Route]

    init(_ routes: [Route]) {
        let reads = routes.filter { $0.method == .get }
        let found = Dictionary(reads.map { ($0.path.text, $0) }) { first, _ in first }
        self.routes = found
        tools = ToolCatalog.declared.compactMap { declared in
            found[declared.path].map { declared.tool(with: $0.description.parameters) }
        }
    }

    func route(_ path: String) -> Route? { routes[path] }

    private struct Declaration {
        var name: String
        var title: String
        var summary: String
        var path: String
        /// Names of the route's parameters.
        var parameters: [String] = []
        var required: Set<String> = []
        /// What counts if the caller says nothing.
        var usual: [String: String] = [:]
        var list: String?
        var fixed: [String: String] = [:]
        var bound = Tool.MachineBound.filter

        func tool(with described: [QueryParameter]) -> Tool {
            let needsSession = path.hasPrefix("/v1/sessions/{id}")
            let arguments = parameters.compactMap { name in
                described.first { $0.name == name }.map {
                    ToolArgument(
                        name: name,
                        schema: $0.schema,
                        summary: $0.summary,
                        isRequired: required.contains(name),
                        usual: usual[name]
                    )
                }
            }
            return Tool(
                name: name,
                title: title,
                summary: summary,
                path: path,
                arguments: (needsSession ? [.session] : []) + arguments,
                list: list,
                fixed: fixed,
                bound: bound
            )
        }
    }

    private static let declared = [
        Declaration(
            name: "list_sessions",
            title: "List sessions",
            summary: "Sessions of Claude Code, the latest active first: where each runs, its state, what it waits for.",
            path: "/v1/sessions",
            parameters: ["status", "state", "machine_id", "project_id", "archived", "q", "limit", "cursor"],
            usual: ["limit": "20"],
            list: "sessions"
        ),
        Declaration(
            name: "get_session",
            title: "Get a session",
            summary: "One session: its state, what it waits for, its tokens and cost.",
            path: "/v1/sessions/{id}",
            bound: .session
        ),
        Declaration(
            name: "get_messages",
            title: "Get messages",
            summary: "A session's conversation, the latest message first: texts, calls of tools and their results.",
            path: "/v1/sessions/{id}/messages",
            parameters: ["order", "agent_id", "text_limit", "limit", "cursor"],
            usual: ["order": "desc", "limit": "20", "text_limit": "4000"],
            list: "messages",
            fixed: ["view": "blocks"],
            bound: .session
        ),
        Declaration(
            name: "search",
            title: "Search",
            summary: "Finds words in prompts, answers, inputs and outputs of tools, the newest first. "
                + "A newer search of the same caller ends an older one.",
            path: "/v1/search",
            parameters: ["q", "session_id", "machine_id", "project_id", "from", "to", "kind", "limit", "cursor"],
            required: ["q"],
            usual: ["limit": "20"],
            list: "results"
        ),
        Declaration(
            name: "get_changes",
            title: "Get changes",
            summary: "The files that a session has changed since it began, if its machine's agent is connected.",
            path: "/v1/sessions/{id}/changes",
            parameters: ["path", "hunks", "at", "context", "offset", "limit", "cursor"],
            usual: ["limit": "100"],
            bound: .closed
        ),
        Declaration(
            name: "get_usage",
            title: "Get usage",
            summary: "Tokens and cost of requests to models, in sums.",
            path: "/v1/usage",
            parameters: ["from", "to", "by", "session_id", "machine_id", "project_id", "timezone"]
        ),
        Declaration(
            name: "list_machines",
            title: "List machines",
            summary: "The machines that run Claude Code, and whether their agents are connected.",
            path: "/v1/machines",
            list: "machines",
            bound: .route("/v1/machines/{id}")
        ),
        Declaration(
            name: "list_projects",
            title: "List projects",
            summary: "The directories in which Claude Code has worked, the latest active first.",
            path: "/v1/projects",
            parameters: ["machine_id", "limit", "cursor"],
            usual: ["limit": "20"],
            list: "projects"
        ),
        Declaration(
            name: "list_prompts",
            title: "List prompts",
            summary: "What sessions asked a person: permissions, questions, plans and forms, the latest first. "
                + "No tool answers them.",
            path: "/v1/prompts",
            parameters: ["state", "kind", "session_id", "machine_id", "limit", "cursor"],
            usual: ["limit": "20"],
            list: "prompts"
        ),
    ]
}
