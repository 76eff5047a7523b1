internal import EventModel
internal import JSON
internal import Persistence

/// A tool with its name on `/mcp`.
struct EndpointTool: Sendable {
    /// `nil` until a name is stored.
    var name: String?
    var tool: StoredTool

    private static let mostDescription = 2000
    private static let hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"]

    /// The tool as an element of `tools/list`, in JSON.
    var listed: [UInt8] {
        var writer = JSONWriter(reserving: 2048)
        writer.beginObject()
        writer.field("name", name ?? "")
        if let title = tool.pinned.title { writer.field("title", title) }
        writer.field("description", description)
        writer.field("inputSchema", schema)
        writer.beginObject("annotations")
        for (hint, value) in hints { writer.field(hint, value) }
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }

    func writeFound(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("name", name ?? "")
        writer.field("server", tool.server)
        if let machine = tool.machine.shown(tool.machineName) { writer.field("machine_id", machine) }
        writer.field("project_path", tool.path)
        writer.field("description", description)
        writer.field("parameters", schema)
        writer.endObject()
    }

    /// The monitor's own words come first: what follows is the server's.
    private var description: String {
        let place = tool.path.map { " in \($0)" } ?? ""
        let server = PlainText.lines(tool.server, atMost: 128)
        let machine = tool.machine.shown(tool.machineName)
        let owner = machine.map { "MCP server \(server) of the machine \($0)\(place)" } ?? "Remote MCP server \(server)"
        return "\(owner). A person is asked before each call. "
            + tool.pinned.description.prefix(EndpointTool.mostDescription)
    }

    /// Clients refuse a list with a schema that is not of an object.
    private var schema: JSONValue {
        guard case .object(let members) = tool.pinned.parameters, tool.pinned.parameters["type"]?.string != "object"
        else { return tool.pinned.parameters }
        return .object([("type", .string("object"))] + members.filter { $0.0 != "type" })
    }

    /// What the server says of itself.
    private var hints: [(String, Bool)] {
        EndpointTool.hints.compactMap { hint in tool.pinned.annotations?[hint]?.bool.map { (hint, $0) } }
    }
}

extension EndpointTool: PGColumn {
    static var columnCount: Int { StoredTool.columnCount + 1 }

    init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        name = try row.value(column)
        tool = try StoredTool(from: row, column + 1)
    }
}
