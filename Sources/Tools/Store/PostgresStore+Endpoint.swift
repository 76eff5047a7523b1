internal import EventModel
internal import Persistence

extension PostgresStore {
    /// Tools with a definition that counts, and how many there are.
    func endpointTools(
        _ selection: EndpointSelection
    ) async throws(PersistenceError) -> (tools: [EndpointTool], total: Int64) {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(
                of: selection.machine,
                selection.reach.machines.map(Array.init),
                selection.reach.servers.map(Array.init),
                selection.search?.expression,
                Int64(selection.limit)
            )
            var (tools, total): ([EndpointTool], Int64) = ([], 0)
            for row in try connection.query(EndpointStatements.tools, parameters).rows {
                total = try row.value(0)
                tools.append(try EndpointTool(from: row, 1))
            }
            return (tools, total)
        }
    }

    /// Gives names to tools that have none.
    func nameTools(_ tools: [StoredTool]) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            let plain = tools.compactMap { tool in EndpointName.plain(tool.server, tool.name).map { ($0, tool) } }
            let unique = tools.map { (EndpointName.unique($0.server, $0.name, id: $0.serverID), $0) }
            _ = try connection.pipeline(
                [plain, unique].map { named in
                    let parameters = Parameters(of: named.map(\.0), named.map(\.1.serverID), named.map(\.1.name))
                    return (EndpointStatements.name, parameters)
                }
            )
        }
    }

    typealias NamedTool = (serverID: String, tool: String, machine: MachineID, server: String)

    func endpointTool(named name: String) async throws(PersistenceError) -> NamedTool? {
        try await run { connection throws(PersistenceError) in
            guard let row = try connection.query(EndpointStatements.named, Parameters(of: name)).firstRow else {
                return nil
            }
            let (serverID, tool, machine, server): (String, String, MachineID, String) = try row.values()
            return (serverID, tool, machine, server)
        }
    }
}

/// SQL of the tools that `/mcp` offers.
enum EndpointStatements {
    static let tools = Statement(
        "endpoint_tools",
        [.int8, .int8Array, .textArray, .text, .int8],
        """
        SELECT count(*) OVER (), n.name, \(ToolStatements.toolColumns)
        FROM \(ToolStatements.toolTables) LEFT JOIN mcp_tool_names n ON n.server_id = s.id AND n.tool = t.name
        WHERE s.is_present AND t.is_present AND t.offered IS NULL AND t.digest <> ''
            AND ($1::int8 IS NULL OR s.machine_id = $1) AND ($2::int8[] IS NULL OR s.machine_id = ANY ($2))
            AND ($3::text[] IS NULL OR s.name = ANY ($3))
            AND ($4::text IS NULL OR t.search @@ to_tsquery('english', $4))
        ORDER BY CASE WHEN $4 IS NULL THEN 0 ELSE ts_rank(t.search, to_tsquery('english', $4)) END DESC,
            s.name, t.name, m.name, s.id
        LIMIT $5
        """
    )

    /// The first tool that asks for a name has it, and a tool has one name.
    static let name = Statement(
        "name_endpoint_tools",
        [.textArray, .textArray, .textArray],
        """
        INSERT INTO mcp_tool_names (name, server_id, tool)
        SELECT t.name, t.server_id, t.tool
        FROM unnest($1, $2, $3) WITH ORDINALITY AS t (name, server_id, tool, number) ORDER BY number
        ON CONFLICT DO NOTHING
        """
    )

    static let named = Statement(
        "endpoint_tool",
        [.text],
        """
        SELECT n.server_id, n.tool, s.machine_id, s.name FROM mcp_tool_names n JOIN mcp_servers s ON s.id = n.server_id
        WHERE n.name = $1
        """
    )
}
