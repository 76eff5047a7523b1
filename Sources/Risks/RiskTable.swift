internal import EventModel

/// The rows of `hooks/risk.tsv`, whose header describes them. The hooks on a machine read the same file.
package struct RiskTable: Sendable {
    struct Row: Sendable {
        var risk: ToolRisk
        /// The words of the pattern. Only rows of commands may have more than one.
        var words: [RiskPattern]

        func matches(_ subject: [UInt8]) -> Bool { words.first?.matches(subject) ?? false }
    }

    private(set) var tools: [Row] = []
    private(set) var shells: [Row] = []
    private(set) var paths: [Row] = []
    private(set) var written: [Row] = []
    private(set) var prefixes: [Row] = []
    private(set) var runners: [Row] = []
    private(set) var commands: [Row] = []

    /// The table that was built into this program.
    package static let shipped = RiskTable(PackageResources.risk_tsv) ?? RiskTable()

    private init() {}

    /// Returns `nil` if a row is malformed.
    package init?(_ text: [UInt8]) {
        for line in text.split(separator: UInt8(ascii: "\n")) where line.first != UInt8(ascii: "#") {
            let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
            guard fields.count == 3, let risk = ToolRisk(rawValue: String(decoding: fields[0], as: UTF8.self)),
                let place = RiskTable.places[String(decoding: fields[1], as: UTF8.self)]
            else { return nil }
            let words = fields[2].split(separator: UInt8(ascii: " "), omittingEmptySubsequences: place != \.commands)
            let pattern = place == \.commands ? words.map { RiskPattern($0) } : [RiskPattern(fields[2])]
            self[keyPath: place].append(Row(risk: risk, words: pattern))
        }
    }

    private static var places: [String: WritableKeyPath<RiskTable, [Row]>] {
        [
            "tool": \.tools, "shell": \.shells, "path": \.paths, "written": \.written, "prefix": \.prefixes,
            "runs": \.runners, "command": \.commands,
        ]
    }
}
