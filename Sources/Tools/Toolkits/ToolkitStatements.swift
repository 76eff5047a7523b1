internal import EventModel
internal import Persistence

/// SQL of the names in the tool router.
enum ToolkitStatements {
    /// The first server that asks for a name has it, and a server has one name.
    static let nameServers = Statement(
        "name_toolkits",
        [.textArray, .textArray],
        """
        INSERT INTO toolkits (slug, server_id) SELECT * FROM unnest($1, $2) AS t (slug, server_id)
        ON CONFLICT DO NOTHING
        """
    )

    static let nameTools = Statement(
        "name_toolkit_tools",
        [.text, .textArray, .textArray],
        """
        INSERT INTO toolkit_tools (slug, server_id, tool)
        SELECT upper(k.slug) || '_' || t.part, k.server_id, t.tool
        FROM toolkits k, unnest($2, $3) WITH ORDINALITY AS t (part, tool, number) WHERE k.server_id = $1 ORDER BY number
        ON CONFLICT DO NOTHING
        """
    )

    /// - Parameters: machines and names of servers that the caller reaches, slugs, slugs that are left out.
    static let toolkits = Statement(
        "toolkits",
        [.int8Array, .textArray, .textArray, .textArray],
        """
        SELECT k.slug, s.id, s.name, s.machine_id, m.name, s.state,
            (SELECT count(*) FROM mcp_tools t WHERE t.server_id = s.id AND \(isOffered))
        FROM toolkits k JOIN mcp_servers s ON s.id = k.server_id JOIN machines m ON m.id = s.machine_id
        WHERE s.is_present AND \(isReached) AND ($3::text[] IS NULL OR k.slug = ANY ($3)) AND NOT k.slug = ANY ($4)
        ORDER BY k.slug LIMIT 5000
        """
    )

    static let tools = Statement(
        "toolkit_tools",
        [
            .int8Array, .textArray, .textArray, .textArray, .textArray, .textArray, .textArray, .text, .textArray,
            .textArray, .textArray, .int8, .int8,
        ],
        """
        SELECT count(*) OVER (), n.slug, k.slug, \(ToolStatements.toolColumns)
        FROM \(ToolStatements.toolTables) JOIN toolkits k ON k.server_id = s.id
            JOIN toolkit_tools n ON n.server_id = s.id AND n.tool = t.name
            LEFT JOIN unnest($10, $11) WITH ORDINALITY AS found (server_id, tool, place)
                ON found.server_id = s.id AND found.tool = t.name
        WHERE s.is_present AND \(isOffered) AND \(isReached)
            AND ($3::text[] IS NULL OR k.slug = ANY ($3)) AND NOT k.slug = ANY ($4)
            AND (NOT k.slug = ANY ($5) OR n.slug = ANY ($6)) AND NOT n.slug = ANY ($7)
            AND ($8::text IS NULL OR \(hasHints))
            AND ($9::text[] IS NULL OR n.slug = ANY ($9))
            AND ($10::text[] IS NULL OR found.place IS NOT NULL)
        ORDER BY found.place, n.slug LIMIT $12 OFFSET $13
        """
    )

    /// Changed tools wait for a person, and only the name is known of tools without a digest.
    private static let isOffered = "t.is_present AND t.offered IS NULL AND t.digest <> ''"

    private static let isReached = """
        ($1::int8[] IS NULL OR s.machine_id = ANY ($1)) AND ($2::text[] IS NULL OR s.name = ANY ($2))
        """

    /// The toolkit's rule, or else the rule for all toolkits, as in `ToolkitFilter.hintRules`.
    private static let hasHints = """
        (SELECT rule IS NULL
            OR (rule -> 'on' IS NULL OR hints && ARRAY (SELECT jsonb_array_elements_text(rule -> 'on')))
                AND NOT hints && ARRAY (SELECT jsonb_array_elements_text(rule -> 'off'))
            FROM (SELECT coalesce($8::jsonb -> k.slug, $8::jsonb -> '') AS rule,
                ARRAY (SELECT a.key FROM jsonb_each(coalesce(t.definition::jsonb -> 'annotations', '{}')) a
                    WHERE a.value = 'true') AS hints) r)
        """
}

extension PostgresStore {
    /// Gives names to a server and to tools that have none. Runs with what stores them.
    static func naming(_ server: ServerReport.Server, _ tools: [ToolDefinition]) -> [(Statement, Parameters)] {
        let (id, names) = (server.id, tools.map(\.name))
        guard !tools.isEmpty else { return [] }
        return [
            (ToolkitStatements.nameTools, Parameters(of: id, names.map(ToolkitSlug.part), names)),
            (ToolkitStatements.nameTools, Parameters(of: id, names.map(ToolkitSlug.uniquePart), names)),
        ]
    }

    static func naming(_ server: ServerReport.Server) -> [(Statement, Parameters)] {
        let (name, id) = (server.name, server.id)
        return [ToolkitSlug.plain(name), ToolkitSlug.unique(name, id: id)]
            .map { (ToolkitStatements.nameServers, Parameters(of: [$0], [id])) }
    }

    func toolkits(
        _ reach: ToolReach,
        _ slugs: [String]?,
        without: [String]
    ) async throws(PersistenceError) -> [Toolkit] {
        try await run { connection throws(PersistenceError) in
            let (machines, servers) = (reach.machines.map(Array.init), reach.servers.map(Array.init))
            let parameters = Parameters(of: machines, servers, slugs, without)
            return try connection.query(ToolkitStatements.toolkits, parameters).values()
        }
    }

    func toolkitTools(
        _ filter: ToolkitFilter,
        _ reach: ToolReach,
        _ found: [ToolKey]?,
        limit: Int,
        offset: Int
    ) async throws(PersistenceError) -> (tools: [ToolkitTool], total: Int64) {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(
                of: reach.machines.map(Array.init),
                reach.servers.map(Array.init),
                filter.toolkits,
                filter.withoutToolkits,
                filter.narrowed,
                filter.chosen,
                filter.without,
                filter.hintRules,
                filter.slugs,
                found?.map(\.server),
                found?.map(\.tool),
                Int64(limit),
                Int64(offset)
            )
            var (tools, total): ([ToolkitTool], Int64) = ([], 0)
            for row in try connection.query(ToolkitStatements.tools, parameters).rows {
                total = try row.value(0)
                tools.append(try ToolkitTool(from: row, 1))
            }
            return (tools, total)
        }
    }
}
