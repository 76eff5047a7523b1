/// What is directly in a directory.
package struct DirectoryCount: Sendable {
    package private(set) var files = 0
    package private(set) var bytes: Int64 = 0

    /// - Parameter budget: the entries that may still be looked at; what exceeds them is not counted.
    package init(of path: RelativePath, below root: RootDirectory, budget: inout Int) {
        guard budget > 0, let directory = try? root.open(path), directory.status.kind == .directory,
            let stream = try? DirectoryStream(directory.descriptor)
        else { return }
        while budget > 0, let entry = try? stream.next() {
            budget -= 1
            guard entry.kind == nil || entry.kind == .file, let status = stream.status(of: entry.name),
                status.kind == .file
            else { continue }
            files += 1
            bytes += status.size
        }
    }
}
