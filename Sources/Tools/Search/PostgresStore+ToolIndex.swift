internal import Persistence

extension PostgresStore {
    /// The stems of words (stop words have none), and a text that changes with the registry.
    func searchWords(
        _ words: [String]
    ) async throws(PersistenceError) -> (registry: String, stems: [String: [String]]) {
        try await run { connection throws(PersistenceError) in
            var (registry, stems): (String, [String: [String]]) = ("", [:])
            for row in try connection.query(ToolIndexStatements.words, Parameters(of: words)).rows {
                let (word, found): (String, String)
                (registry, word, found) = try row.values()
                stems[word] = found.split(separator: "\n").map(String.init)
            }
            return (registry, stems)
        }
    }

    /// All tools, in the order of lists.
    func indexedTools() async throws(PersistenceError) -> [IndexedTool] {
        try await run { connection throws(PersistenceError) in
            let limit = Parameters(of: ToolIndexStatements.mostTools)
            return try connection.query(ToolIndexStatements.tools, limit).values()
        }
    }
}

/// SQL of the search.
enum ToolIndexStatements {
    /// The most tools in memory. The search does not find further ones.
    static let mostTools: Int64 = 50_000

    static let words = Statement(
        "tool_search_words",
        [.textArray],
        """
        SELECT (SELECT changed_in::text FROM mcp_registry), word,
            array_to_string(tsvector_to_array(to_tsvector('english', word)), E'\\n')
        FROM unnest($1) word
        """
    )

    static let tools = Statement(
        "indexed_tools",
        [.int8],
        """
        SELECT s.id, s.name, s.machine_id, s.project_path, t.name, t.offered IS NULL AND t.digest <> '',
            t.search::text
        FROM \(ToolStatements.toolTables) WHERE s.is_present AND t.is_present
        ORDER BY s.name, t.name, m.name, s.id LIMIT $1
        """
    )
}
