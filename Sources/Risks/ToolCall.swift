package import EventModel

/// The parts of a tool call on which its risk depends. They are not masked.
package struct ToolCall: Sendable {
    package var tool: String
    /// The project's directory; may be empty.
    package var project: String
    /// The input's `command`, if it is a string.
    package var command: [UInt8]?
    /// The input's `file_path`, `notebook_path` and `path`, in this order, where they are strings.
    package var paths: [[UInt8]]

    package init(tool: String, project: String, command: [UInt8]? = nil, paths: [[UInt8]] = []) {
        (self.tool, self.project, self.command, self.paths) = (tool, project, command, paths)
    }
}

extension RiskTable {
    package func risk(of call: ToolCall) -> ToolRisk {
        let tool = Array(call.tool.utf8)
        let place = ProjectDirectory(call.project)
        if let shell = shells.first(where: { $0.matches(tool) }) {
            guard let command = call.command else { return shell.risk }
            return CommandRisk(table: self, project: place).risk(of: command)
        }
        var risk = tools.first { $0.matches(tool) }?.risk ?? .execute
        let isEdit = risk == .edit
        for path in call.paths {
            if isEdit, !place.contains(path) { risk = max(risk, .execute) }
            risk = max(risk, self.risk(ofPath: path, isWritten: isEdit) ?? risk)
        }
        return risk
    }

    /// Returns `nil` if no row matches.
    func risk(ofPath path: [UInt8], isWritten: Bool) -> ToolRisk? {
        var path = path.map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte + 32
            case UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: ","): UInt8(ascii: "/")
            default: byte
            }
        }
        if path.first != UInt8(ascii: "/") { path.insert(UInt8(ascii: "/"), at: 0) }
        let byWriting = isWritten ? written.first { $0.matches(path) }?.risk : nil
        return [byWriting, paths.first { $0.matches(path) }?.risk].compactMap(\.self).max()
    }
}

/// The project's directory, without trailing slashes.
struct ProjectDirectory: Sendable {
    /// Paths that may lead out of any directory.
    private static let leaves = ["..", "../*", "*/..*"].map { RiskPattern($0.utf8) }
    private let root: [UInt8]

    init(_ path: String) {
        var root = Array(path.utf8)
        while root.count > 1, root.last == UInt8(ascii: "/") { root.removeLast() }
        self.root = root
    }

    func contains(_ path: [UInt8]) -> Bool {
        if ProjectDirectory.leaves.contains(where: { $0.matches(path) }) { return false }
        if path.first == UInt8(ascii: "~") || path.first == UInt8(ascii: "$") { return false }
        guard path.first == UInt8(ascii: "/") else { return true }
        return !root.isEmpty && root != [UInt8(ascii: "/")] && path.starts(with: root + [UInt8(ascii: "/")])
    }
}
