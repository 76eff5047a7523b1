internal import COpenBeneath
internal import Glibc

/// A directory below which files are served.
package struct RootDirectory: Sendable {
    let descriptor: Descriptor
    /// A real path.
    package let path: [UInt8]
    private let opener: BeneathOpener

    /// - Parameter path: a real path. Throws if a link is on the way.
    package init(_ path: String, opener: BeneathOpener = .best) throws(FileFault) {
        let number = unsafe Glibc.open(path, open_path_only | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard number >= 0 else { throw FileFault(code: errno) }
        descriptor = Descriptor(number)
        self.path = try descriptor.realPath
        guard self.path.elementsEqual(path.utf8) else { throw .outside }
        self.opener = opener
    }

    /// Opens a regular file or a directory. Links are followed as long as they stay below the root.
    package func open(_ path: RelativePath) throws(FileFault) -> OpenedFile {
        let descriptor = try opener.open(path, below: descriptor)
        let status = try descriptor.status
        guard status.kind == .file || status.kind == .directory, try !descriptor.isOfKernel else { throw .special }
        return OpenedFile(descriptor: descriptor, status: status, realPath: try descriptor.realPath)
    }
}

/// A regular file or a directory below a root.
package struct OpenedFile: Sendable {
    let descriptor: Descriptor
    package let status: FileStatus
    /// Where it was when it was opened, without links.
    package let realPath: [UInt8]

    /// Bytes of a regular file. Fewer than `count` only at its end.
    package func read(from offset: Int64, count: Int) throws(FileFault) -> (bytes: [UInt8], status: FileStatus) {
        guard status.kind == .file else { throw .notFile }
        let file = try descriptor.reading()
        return (try file.read(from: offset, count: count), try file.status)
    }
}
