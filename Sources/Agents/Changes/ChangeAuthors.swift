/// Who changed the files of a change set, as far as the calls of tools say it.
struct ChangeAuthors: Sendable, Equatable {
    enum Author: String, Sendable, CaseIterable {
        case session
        /// A person, or another session.
        case other
        case unknown
    }

    /// What the log knows of the tools of one or several sessions.
    struct Tools: Sendable, Equatable {
        /// The files that calls have changed, as the calls name them.
        var files: Set<String> = []
        /// A tool has run that may have changed any file.
        var mayChangeAny = false
    }

    static let editors: Set<String> = ["Edit", "MultiEdit", "Write", "NotebookEdit"]
    private static let readers: Set<String> = [
        "Read", "NotebookRead", "Glob", "Grep", "LS", "WebFetch", "WebSearch", "TodoRead", "TodoWrite", "Task", "Agent",
        "TaskCreate", "TaskGet", "TaskList", "TaskOutput", "TaskStop", "TaskUpdate", "AskUserQuestion", "EnterPlanMode",
        "ExitPlanMode", "ToolSearch", "BashOutput", "KillShell", "ListMcpResourcesTool", "ReadMcpResourceTool",
    ]

    private let own: Set<String>
    private let others: Set<String>
    private let mayChangeAny: Bool

    /// - Parameter roots: the repository's root, by each of its names.
    init(own: Tools, others: Tools, roots: [String]) {
        (self.own, self.others) = (own.files.below(roots), others.files.below(roots))
        mayChangeAny = own.mayChangeAny
    }

    /// - Parameter paths: those of a file, relative to the root.
    func author(of paths: [String]) -> Author {
        if paths.contains(where: own.contains) { return .session }
        if paths.contains(where: others.contains) { return .other }
        return mayChangeAny ? .unknown : .other
    }

    static func isReader(_ tool: String) -> Bool { readers.contains(tool) }
}

extension ChangeAuthors.Tools {
    /// Takes a call of a tool.
    ///
    /// - Parameters:
    ///   - hasSucceeded: what has not changed a file says nothing.
    ///   - file: the file that the call names, if the log has it.
    mutating func take(_ tool: String, hasSucceeded: Bool, file: String?) {
        guard ChangeAuthors.editors.contains(tool) else {
            if !ChangeAuthors.isReader(tool) { mayChangeAny = true }
            return
        }
        guard hasSucceeded else { return }
        if let file {
            files.insert(file)
        } else {
            mayChangeAny = true
        }
    }
}

extension Set<String> {
    /// The paths below one of the directories, relative to it.
    fileprivate func below(_ directories: [String]) -> Set<String> {
        Set(
            flatMap { path in
                directories.compactMap { directory in
                    let prefix = directory == "/" ? "/" : directory + "/"
                    return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : nil
                }
            }
        )
    }
}
