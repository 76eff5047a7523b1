internal import Glibc

/// Files shipped with the program: in its source tree, or where it was installed.
package enum InstalledFiles {
    /// The path of `name`, such as `migrations` or `hooks/install.sh`, or `nil` if it does not exist.
    package static func find(_ name: String) -> String? {
        let program = directoryOfProgram
        // .build/release, .build/x86_64-unknown-linux-gnu/release, and an installation's bin
        let places = ["/..", "/../..", "/../../..", "/../share/claude-monitor"].map { program + $0 + "/" + name }
        return places.lazy.compactMap(resolve).first
    }

    /// Another program of this product in the same directory, or `nil`.
    package static func sibling(_ name: String) -> String? {
        resolve(directoryOfProgram + "/" + name)
    }

    /// Resolves symbolic links. Returns the path unchanged if it does not exist.
    package static func target(of path: String) -> String { resolve(path) ?? path }

    package static func canRead(_ path: String) -> Bool { unsafe access(path, R_OK) == 0 }

    /// Returns `nil` if the file cannot be read or is longer than `limit` bytes.
    package static func contents(_ path: String, atMost limit: Int) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16 << 10)
        while bytes.count <= limit {
            let count = unsafe read(descriptor, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { return bytes }
            bytes += part.prefix(count)
        }
        return nil
    }

    /// Whether there is no such file. False if that cannot be found out.
    package static func isMissing(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) != 0 && errno == ENOENT
    }

    /// The names of the entries of a directory, without hidden ones. Empty if it cannot be read.
    package static func names(in path: String) -> [String] {
        guard let directory = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: entry.pointee.d_name) { pointer in
                unsafe String(cString: UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self))
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    private static var directoryOfProgram: String {
        let program = resolve("/proc/self/exe") ?? ""
        return program.lastIndex(of: "/").map { String(program[..<$0]) } ?? "."
    }

    /// The absolute path without symbolic links and dots, or `nil` if the file does not exist.
    private static func resolve(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}
