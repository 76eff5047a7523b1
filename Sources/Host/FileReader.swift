internal import Glibc

/// Reads a file in pieces. One thread at a time.
package final class FileReader: Sendable {
    private let descriptor: Int32
    private static let pieceBytes = 64 << 10

    /// Returns `nil` if the path does not name a regular file that can be read.
    package init?(_ path: String) {
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        var status = stat()
        guard descriptor >= 0, unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Returns the next bytes, none at the end of the file, and `nil` if the file cannot be read.
    package func next() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: FileReader.pieceBytes)
        while true {
            let count = unsafe read(descriptor, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            return count < 0 ? nil : Array(bytes.prefix(count))
        }
    }
}
