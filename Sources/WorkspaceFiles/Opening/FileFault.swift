internal import Glibc

/// Why a file or a directory below a root is not served.
package enum FileFault: Error, Equatable, Sendable {
    /// The path is absolute, contains `..`, or a link leads out of the root.
    case outside
    case notFound
    /// The system does not let this user read it.
    case denied
    /// Neither a regular file nor a directory.
    case special
    case notDirectory
    case notFile
    /// Links that lead in circles, too many of them, or one of /proc.
    case links
    case system(Int32)

    init(code: Int32) {
        self =
            switch code {
            case EXDEV: .outside
            case ENOENT, ENOTDIR, ENAMETOOLONG: .notFound
            case EACCES, EPERM: .denied
            case ELOOP: .links
            default: .system(code)
            }
    }
}
