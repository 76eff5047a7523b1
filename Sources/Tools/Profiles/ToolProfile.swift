internal import EventModel
internal import HTTPModel
internal import JSON
internal import Persistence

/// A named set of tools.
struct ToolProfile: Sendable {
    var name: String
    var tools: ToolSet
    var changedBy: String
    var changedAt: Timestamp

    static let most: Int64 = 100

    static func isName(_ name: String) -> Bool {
        (1...32).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
            }
    }

    static let shape = ObjectShape<ToolProfile>("ToolProfile") { it in
        it.member("name") { $0.name }
        it.member("tools", as: JSONSchema.texts) { $0.tools.names }
        it.member("changed_by") { $0.changedBy }
        it.member("changed_at") { $0.changedAt }
    }
}

extension ToolProfile: PGColumn {
    static var columnCount: Int { 4 }

    init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        let text: [UInt8]
        (name, text, changedBy, changedAt) = try row.values(from: column)
        tools = ToolSet((try? JSONValue.parse(text))?.array?.compactMap(\.string) ?? [])
    }
}

/// SQL of profiles.
enum ToolProfileStatements {
    private static let columns = "name, tools, changed_by, changed_at"

    static let all = Statement("mcp_profiles", "SELECT \(columns) FROM mcp_profiles ORDER BY name")
    static let one = Statement("mcp_profile", [.text], "SELECT \(columns) FROM mcp_profiles WHERE name = $1")
    static let remove = Statement(
        "remove_mcp_profile",
        [.text],
        "DELETE FROM mcp_profiles WHERE name = $1 RETURNING name"
    )

    /// Changes nothing if there would be too many profiles.
    static let keep = Statement(
        "keep_mcp_profile",
        [.text, .text, .text, .timestamptz, .int8],
        """
        INSERT INTO mcp_profiles (\(columns)) SELECT $1, $2, $3, $4
        WHERE (SELECT count(*) FROM mcp_profiles WHERE name <> $1) < $5
        ON CONFLICT (name) DO UPDATE SET tools = EXCLUDED.tools, changed_by = EXCLUDED.changed_by,
            changed_at = EXCLUDED.changed_at
        RETURNING \(columns)
        """
    )
}
