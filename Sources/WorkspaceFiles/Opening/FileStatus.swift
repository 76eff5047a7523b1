internal import Glibc

/// What the system knows of a file.
package struct FileStatus: Equatable, Sendable {
    package enum Kind: String, Sendable {
        case file, directory, link
        /// A device, a FIFO or a socket.
        case special
    }

    package let kind: Kind
    package let size: Int64
    /// Microseconds since 1970.
    package let modified: Int64
    package let mode: UInt32
    package let links: UInt64
    let device: UInt64
    let inode: UInt64
    private let changedNanoseconds: Int64

    init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            case S_IFLNK: .link
            default: .special
            }
        size = Int64(status.st_size)
        modified = Int64(status.st_mtim.tv_sec) &* 1_000_000 &+ Int64(status.st_mtim.tv_nsec) / 1000
        mode = status.st_mode & 0o7777
        links = UInt64(status.st_nlink)
        (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
        changedNanoseconds = Int64(status.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_ctim.tv_nsec)
    }

    /// Differs after each change of the file.
    package var version: String {
        "\(String(inode, radix: 36))-\(String(size, radix: 36))-\(String(changedNanoseconds, radix: 36))"
    }

    /// The same in fewer bytes.
    var stamp: UInt64 {
        [inode, UInt64(bitPattern: size), UInt64(bitPattern: changedNanoseconds)].reduce(0xcbf2_9ce4_8422_2325) {
            (($0 ^ $1) &* 0x0000_0100_0000_01b3) ^ ($0 >> 31)
        }
    }
}
