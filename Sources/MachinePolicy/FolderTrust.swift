internal import JSON

/// Whether a person trusts what a folder contains. Claude Code without a terminal runs the folder's hooks, servers and
/// helpers without a question.
package enum FolderTrust {
    /// The file in which Claude Code keeps what the person accepted.
    package static func recordPath(home: String, configuration: String?) -> String {
        if let configuration, configuration.hasPrefix("/") { return configuration + "/.claude.json" }
        return home + "/.claude.json"
    }

    /// Whether the record says that the person accepted the folder. An entry for a parent does not count.
    ///
    /// - Parameters:
    ///   - directory: a real path.
    ///   - record: the text of `.claude.json`.
    package static func isAccepted(_ directory: String, record: [UInt8]) -> Bool {
        let path = Array(directory.utf8)
        let isAccepted = try? JSONParser().withDocument(record) { document -> Bool in
            guard let projects = document["projects"], projects.isObject else { return false }
            var last = false
            for member in projects.members where member.name.string.map({ Array($0.utf8) == path }) == true {
                last = member.value["hasTrustDialogAccepted"]?.bool == true
            }
            return last
        }
        return isAccepted ?? false
    }

    /// The directory of the repository to which a linked worktree belongs.
    ///
    /// - Parameters:
    ///   - directory: a real path.
    ///   - read: the text of a small file.
    ///   - realPath: `nil` if nothing exists at a path.
    /// - Returns: `nil` unless the folder names the repository and the repository names the folder, because the folder
    ///   alone could name any.
    package static func repository(
        ofWorktree directory: String,
        read: (String) -> String?,
        realPath: (String) -> String?
    ) -> String? {
        guard let link = read(directory + "/.git"), link.hasPrefix("gitdir: "),
            let named = line(link.dropFirst(8)), named.hasPrefix("/"), let entry = realPath(named)
        else { return nil }
        let parts = entry.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 5, parts[parts.count - 2] == "worktrees", parts[parts.count - 3] == ".git",
            let back = read(entry + "/gitdir").flatMap({ line($0[...]) }),
            realPath(back) == directory + "/.git"
        else { return nil }
        return parts.dropLast(3).joined(separator: "/")
    }

    private static func line(_ text: Substring) -> String? {
        text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false).first.map(String.init)
    }
}
