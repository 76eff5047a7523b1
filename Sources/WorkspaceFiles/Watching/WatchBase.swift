/// A directory whose entries are watched.
package struct WatchBase: Sendable {
    package let directory: OpenedFile
    /// Stands before the paths below the directory.
    package let prefix: [UInt8]
    /// Whether the directories below are watched as well.
    package let isRecursive: Bool

    package init(_ directory: OpenedFile, prefix: [UInt8] = [], isRecursive: Bool = true) {
        (self.directory, self.prefix, self.isRecursive) = (directory, prefix, isRecursive)
    }
}

/// What a watch leaves out.
package struct LeftOut {
    /// Paths, each with all below it.
    let paths: Set<[UInt8]>
    /// Of a repository below, the paths that git ignores in it.
    let inner: (RelativePath) -> Set<[UInt8]>

    package init(_ paths: Set<[UInt8]> = [], inner: @escaping (RelativePath) -> Set<[UInt8]> = { _ in [] }) {
        (self.paths, self.inner) = (paths, inner)
    }
}
