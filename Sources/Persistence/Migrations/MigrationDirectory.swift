import Glibc

/// Reads the migrations directory with the C library's directory and file calls.
enum MigrationDirectory {
    /// Sorted by number. Ignores files that do not end in `.sql`.
    static func read(_ path: String) throws(MigrationError) -> [MigrationFile] {
        var files: [MigrationFile] = []
        for name in try names(in: path).sorted() where name.hasSuffix(".sql") {
            guard let file = MigrationFile(fileName: name, sql: try contents(of: "\(path)/\(name)")) else {
                throw .misnamed(file: name)
            }
            files.append(file)
        }
        guard !files.isEmpty else { throw .unreadable(path: path, errorNumber: ENOENT) }
        return files
    }

    private static func names(in path: String) throws(MigrationError) -> [String] {
        guard let directory = unsafe opendir(path) else { throw .unreadable(path: path, errorNumber: errno) }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: entry.pointee.d_name) { pointer in
                unsafe String(cString: UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self))
            }
            names.append(name)
        }
        return names
    }

    private static func contents(of path: String) throws(MigrationError) -> [UInt8] {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .unreadable(path: path, errorNumber: errno) }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(file, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw .unreadable(path: path, errorNumber: errno) }
            if count == 0 { return bytes }
            bytes.append(contentsOf: buffer[..<count])
        }
    }
}
