internal import EventModel
internal import Persistence

extension PostgresStore {
    /// The first tools in the order of lists that a caller may run and whose definition counts.
    func endpointTools(
        in reach: ToolReach,
        only: ToolSet?,
        limit: Int
    ) async throws(PersistenceError) -> [EndpointTool] {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(
                of: reach.machines.map(Array.init),
                reach.servers.map(Array.init),
                only?.names,
                Int64(limit)
            )
            return try connection.query(EndpointStatements.tools, parameters).values()
        }
    }

    /// The tools of these keys that there still are and whose definition counts, in the same order.
    func endpointTools(_ keys: [ToolKey]) async throws(PersistenceError) -> [EndpointTool] {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: keys.map(\.server), keys.map(\.tool))
            return try connection.query(EndpointStatements.found, parameters).values()
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
        [.int8Array, .textArray, .textArray, .int8],
        """
        SELECT n.name, \(ToolStatements.toolColumns) FROM \(tables) WHERE \(isListed)
            AND ($1::int8[] IS NULL OR s.machine_id = ANY ($1)) AND ($2::text[] IS NULL OR s.name = ANY ($2))
            AND ($3::text[] IS NULL OR s.name || '.' || t.name = ANY ($3) OR s.name || '.*' = ANY ($3))
        ORDER BY s.name, t.name, m.name, s.id LIMIT $4
        """
    )

    /// Tools that were named, in their order.
    static let found = Statement(
        "found_endpoint_tools",
        [.textArray, .textArray],
        """
        SELECT n.name, \(ToolStatements.toolColumns) FROM \(tables)
            JOIN unnest($1, $2) WITH ORDINALITY AS f (server_id, name, number)
                ON f.server_id = t.server_id AND f.name = t.name
        WHERE \(isListed) ORDER BY f.number
        """
    )

    private static let tables =
        "\(ToolStatements.toolTables) LEFT JOIN mcp_tool_names n ON n.server_id = s.id AND n.tool = t.name"
    private static let isListed = "s.is_present AND t.is_present AND t.offered IS NULL AND t.digest <> ''"

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
