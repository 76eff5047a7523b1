package import EventModel

/// The parts of a tool call on which its risk depends. They are not masked.
package struct ToolCall: Sendable {
    package var tool: String
    /// The project's directory; may be empty.
    package var project: String
    /// The input's `command`, if it is a string.
    package var command: [UInt8]?
    /// The values of the input's members in `pathMembers` that are strings.
    package var paths: [[UInt8]]
    /// The values of the input's members in `patternMembers` that are strings.
    package var patterns: [[UInt8]]
    /// Whether the input has `dangerouslyDisableSandbox` with a value other than false and null.
    package var isUnconfined: Bool

    package init(
        tool: String,
        project: String,
        command: [UInt8]? = nil,
        paths: [[UInt8]] = [],
        patterns: [[UInt8]] = [],
        isUnconfined: Bool = false
    ) {
        (self.tool, self.project, self.command) = (tool, project, command)
        (self.paths, self.patterns, self.isUnconfined) = (paths, patterns, isUnconfined)
    }

    package static let pathMembers: [StaticString] = ["file_path", "notebook_path", "path"]

    /// The names of the members of a tool's input that are file patterns.
    package static func patternMembers(of tool: String) -> [StaticString] {
        tool == "Glob" ? ["glob", "pattern"] : ["glob"]
    }
}

extension RiskTable {
    package func risk(of call: ToolCall) -> ToolRisk {
        let tool = Array(call.tool.utf8)
        let directories = WorkingDirectories(project: ProjectDirectory(call.project))
        var judge = CommandRisk(table: self, directories: directories)
        if let shell = shells.first(where: { $0.matches(tool) }) {
            guard let command = call.command else { return shell.risk }
            judge.judge(command)
            if call.isUnconfined { judge.raise(to: .execute) }
            return judge.risk
        }
        let risk = tools.first { $0.matches(tool) }?.risk ?? .execute
        judge.raise(to: risk)
        var place: [UInt8]?
        for path in call.paths {
            let path = ShellMark.quoted(ShellMark.replacingMarks(in: path))
            if risk == .edit, !directories.isInside(path) { judge.raise(to: .execute) }
            judge.judgePath(path, isWritten: risk == .edit)
            if searches[tool] != nil { judge.judgeSearched(path) }
            place = path
        }
        for pattern in call.patterns {
            let text = ShellMark.replacingMarks(in: pattern)
            let word = text.first == UInt8(ascii: "!") ? Array(text.dropFirst()) : text
            judge.judgePatterns(word, below: place)
        }
        return judge.risk
    }
}
