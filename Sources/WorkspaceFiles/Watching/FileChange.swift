/// A change of a file below a watched directory.
package struct FileChange: Equatable, Sendable {
    package enum Kind: String, Sendable {
        case created, modified, deleted, renamed
    }

    /// Below the directory.
    package var path: [UInt8]
    package var kind: Kind
    /// The path before a rename.
    package var oldPath: [UInt8]?
    package var isDirectory = false

    package init(_ path: [UInt8], _ kind: Kind, from oldPath: [UInt8]? = nil, isDirectory: Bool = false) {
        (self.path, self.kind, self.oldPath, self.isDirectory) = (path, kind, oldPath, isDirectory)
    }
}
