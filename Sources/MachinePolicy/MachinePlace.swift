/// Real paths and what the machine's file allows there. The paths of the file must be real paths themselves: a root
/// that leads through a symbolic link could be made to lead elsewhere, so it allows nothing.
package enum MachinePlace {
    /// The most special root that contains the directory; `nil` if none does.
    ///
    /// - Parameters:
    ///   - directory: a real path.
    ///   - realPath: `nil` if nothing exists at a path.
    package static func root(
        of directory: String,
        in file: AgentFile,
        realPath: (String) -> String?
    ) -> AgentFile.Root? {
        guard file.isUsable else { return nil }
        return file.roots
            .filter { root in
                let path = plain(root.path)
                return contains(path, directory) && realPath(path) == path
            }
            .max { $0.path.utf8.count < $1.path.utf8.count }
    }

    /// Whether the directory is `parent` or below it. Both are real paths.
    package static func contains(_ parent: String, _ directory: String) -> Bool {
        let parent = Array(parent.utf8)
        let directory = Array(directory.utf8)
        guard parent != [UInt8(ascii: "/")] else { return directory.first == UInt8(ascii: "/") }
        return directory.starts(with: parent)
            && (directory.count == parent.count || directory[parent.count] == UInt8(ascii: "/"))
    }

    /// The path without slashes at its end.
    package static func plain(_ path: String) -> String {
        var path = path
        while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }
}
