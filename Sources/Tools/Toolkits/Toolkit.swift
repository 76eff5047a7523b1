package import EventModel
package import JSON
package import Persistence

/// An MCP server under its name in the tool router.
package struct Toolkit: Sendable {
    package var slug: String
    package var serverID: String
    /// The server's name.
    package var name: String
    package var machine: MachineID
    package var machineName: String
    /// The state in the registry, such as `connected`.
    package var state: String
    package var toolCount: Int64

    package var isRemote: Bool { machine == .monitor }

    /// A description for people and models.
    package var summary: String {
        let place = machine.shown(machineName).map { " of the machine \($0)" } ?? ""
        return "MCP server \(PlainText.lines(name, atMost: 128))\(place), with \(toolCount) tools."
    }
}

extension Toolkit: PGColumn {
    package static var columnCount: Int { 7 }

    package init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        (slug, serverID, name, machine, machineName, state, toolCount) = try row.values(from: column)
    }
}

/// A tool under its name in the tool router. Its definition is the pinned one.
package struct ToolkitTool: Sendable {
    package var slug: String
    /// The slug of its toolkit.
    package var toolkit: String
    let tool: StoredTool

    private static let hintNames = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"]
    private static let mostDescription = 4000

    package var serverID: String { tool.serverID }
    package var server: String { tool.server }
    package var name: String { tool.name }
    package var isRemote: Bool { tool.machine == .monitor }
    package var title: String? { tool.pinned.title }
    package var description: String { String(tool.pinned.description.prefix(ToolkitTool.mostDescription)) }
    /// A schema of an object.
    package var parameters: JSONValue {
        let schema = tool.pinned.parameters
        guard case .object(let members) = schema, schema["type"]?.string != "object" else { return schema }
        return .object([("type", .string("object"))] + members.filter { $0.0 != "type" })
    }
    package var result: JSONValue { tool.pinned.result ?? .object([]) }
    /// SHA-256 of the definition.
    package var digest: String { tool.pinned.digest }

    /// The hints that the server gives for the tool and whose value is true.
    package var hints: [String] {
        ToolkitTool.hintNames.filter { tool.pinned.annotations?[$0]?.bool == true }
    }

    /// The names of the arguments that a call must have.
    package var required: [String] { parameters["required"]?.array?.compactMap(\.string) ?? [] }
}

extension ToolkitTool: PGColumn {
    package static var columnCount: Int { StoredTool.columnCount + 2 }

    package init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        (slug, toolkit) = try row.values(from: column)
        tool = try StoredTool(from: row, column + 2)
    }
}

/// Which toolkits and tools a caller of the tool router gets.
package struct ToolkitFilter: Sendable, Equatable {
    /// Tools with one of the hints in `enabled`, and with none of those in `disabled`.
    package struct Hints: Sendable, Equatable {
        /// `nil` means any tool.
        package var enabled: [String]?
        package var disabled: [String] = []

        package init(enabled: [String]? = nil, disabled: [String] = []) {
            (self.enabled, self.disabled) = (enabled, disabled)
        }
    }

    /// The slugs of toolkits; `nil` means all.
    package var toolkits: [String]?
    package var withoutToolkits: [String] = []
    /// The toolkits from which only the tools in `chosen` are taken.
    package var narrowed: [String] = []
    package var chosen: [String] = []
    package var without: [String] = []
    /// The rule for all toolkits without a rule of their own.
    package var hints: Hints?
    /// The keys are slugs of toolkits.
    package var hintsOf: [String: Hints] = [:]
    /// The slugs of tools; `nil` means all.
    package var slugs: [String]?

    package init() {}

    /// The hints in the form of the query; `nil` if there is no rule.
    var hintRules: String? {
        guard hints != nil || !hintsOf.isEmpty else { return nil }
        let rules = hintsOf.sorted { $0.key < $1.key } + (hints.map { [("", $0)] } ?? [])
        let members = rules.map { slug, hints -> (String, JSONValue) in
            var rule: [(String, JSONValue)] = [("off", .array(hints.disabled.map(JSONValue.string)))]
            if let enabled = hints.enabled { rule.append(("on", .array(enabled.map(JSONValue.string)))) }
            return (slug, .object(rule))
        }
        return String(decoding: JSONValue.object(members).encoded, as: UTF8.self)
    }
}
