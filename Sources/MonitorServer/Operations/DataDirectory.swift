internal import Glibc

/// Where the server keeps what must survive it: the private cluster and the admin token.
struct DataDirectory {
    let path: String

    /// Makes the directory (0700) and its parents where they are missing.
    init(path: String) throws(DataDirectoryError) {
        self.path = path
        var prefix = path.hasPrefix("/") ? "" : "."
        for component in path.split(separator: "/") {
            prefix += "/" + component
            guard unsafe mkdir(prefix, 0o700) == 0 || errno == EEXIST else {
                throw DataDirectoryError(path: prefix, problem: "cannot be made", code: errno)
            }
        }
        guard unsafe access(path, R_OK | W_OK | X_OK) == 0 else {
            throw DataDirectoryError(path: path, problem: "cannot be used", code: errno)
        }
    }

    var adminTokenPath: String { path + "/admin.token" }

    /// The configured token, else the stored one, else a new one. What is returned stands in `admin.token` (0600), so
    /// that the command line finds it.
    func adminToken(configured: String?) throws(DataDirectoryError) -> String {
        if let configured {
            try writeToken(configured)
            return configured
        }
        if let stored = try readToken() { return stored }
        var random = SystemRandomNumberGenerator()
        let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
        let token = "cmadm_" + String((0..<43).map { _ in alphabet[Int.random(in: 0..<62, using: &random)] })
        try writeToken(token)
        return token
    }

    private func readToken() throws(DataDirectoryError) -> String? {
        let descriptor = unsafe open(adminTokenPath, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw DataDirectoryError(path: adminTokenPath, problem: "cannot be read", code: errno)
        }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return nil }
        let token = String(decoding: buffer.prefix(count), as: UTF8.self).trimmed
        return token.isEmpty ? nil : token
    }

    /// Written beside its place and renamed, so that a reader never sees half a token.
    private func writeToken(_ token: String) throws(DataDirectoryError) {
        let temporary = adminTokenPath + ".new"
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw DataDirectoryError(path: temporary, problem: "cannot be written", code: errno)
        }
        defer { close(descriptor) }
        let bytes = Array((token + "\n").utf8)
        guard fchmod(descriptor, 0o600) == 0, unsafe write(descriptor, bytes, bytes.count) == bytes.count,
            fsync(descriptor) == 0, unsafe rename(temporary, adminTokenPath) == 0
        else { throw DataDirectoryError(path: adminTokenPath, problem: "cannot be written", code: errno) }
    }
}

struct DataDirectoryError: Error, CustomStringConvertible {
    var path: String
    var problem: String
    /// `errno`
    var code: Int32

    var description: String { "\(path) \(problem): \(unsafe String(cString: strerror(code)))" }
}
