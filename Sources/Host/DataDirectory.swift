internal import Glibc
package import Signing

/// The directory for data that must survive the server: the private cluster, the admin token, and the key that signs
/// device tokens.
package struct DataDirectory: Sendable {
    package let path: String

    /// Creates the directory (0700) and its parents if they do not exist.
    package init(path: String) throws(DataDirectoryError) {
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

    package var adminTokenPath: String { path + "/admin.token" }

    /// Returns the configured token, else the stored one, else a new one. The returned token is in `admin.token`
    /// (0600), where the command line tool finds it.
    /// Throws if the token is easy to guess, or if other users may read or write the file.
    package func adminToken(configured: String?) throws(DataDirectoryError) -> String {
        if let configured {
            guard AdminToken.isStrong(configured) else {
                throw DataDirectoryError(path: "MONITOR_ADMIN_TOKEN", problem: AdminToken.weakness, code: nil)
            }
            try writeFile(adminTokenPath, configured + "\n")
            return configured
        }
        if let stored = try readFile(adminTokenPath).map({ String(decoding: $0, as: UTF8.self).trimmed }),
            !stored.isEmpty
        {
            try requirePrivate(adminTokenPath)
            guard AdminToken.isStrong(stored) else {
                let problem = "holds a token that \(AdminToken.weakness)"
                throw DataDirectoryError(path: adminTokenPath, problem: problem, code: nil)
            }
            return stored
        }
        var random = SystemRandomNumberGenerator()
        let token = "cmadm_" + String(decoding: Base62.random(43, using: &random), as: UTF8.self)
        try writeFile(adminTokenPath, token + "\n")
        return token
    }

    /// Returns the stored key, else a new one, which is stored in `device.key` (0600). Anyone with the file can issue
    /// tokens.
    package func deviceKey() throws -> ES256PrivateKey {
        let path = path + "/device.key"
        do {
            if let stored = try readFile(path), !stored.isEmpty { return try ES256PrivateKey(pem: stored) }
            let key = try ES256PrivateKey.generate()
            try writeFile(path, String(decoding: key.pem(), as: UTF8.self))
            return key
        } catch let error as SigningError {
            throw DataDirectoryError(path: path, problem: "does not hold a usable key: \(error)", code: nil)
        }
    }

    /// Throws if users other than the owner may read or write the file, or if the directory lets others replace it.
    ///
    /// - Parameter secret: what is in the file, for the error.
    func requirePrivate(_ file: String, _ secret: String = "the admin token") throws(DataDirectoryError) {
        for (path, forbidden, wish) in [(file, mode_t(0o077), "chmod 600"), (path, mode_t(0o002), "chmod 700")] {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else {
                throw DataDirectoryError(path: path, problem: "cannot be looked at", code: errno)
            }
            guard status.st_mode & forbidden == 0 else {
                throw DataDirectoryError(
                    path: path,
                    problem: "is open to other users of the machine; close it (\(wish)) and replace \(secret)",
                    code: nil
                )
            }
        }
    }

    /// Returns `nil` if the file does not exist. Reads at most 4 KiB.
    func readFile(_ path: String) throws(DataDirectoryError) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw DataDirectoryError(path: path, problem: "cannot be read", code: errno)
        }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe read(descriptor, &buffer, buffer.count)
        guard count >= 0 else { throw DataDirectoryError(path: path, problem: "cannot be read", code: errno) }
        return Array(buffer.prefix(count))
    }

    /// Writes a temporary file and renames it, so that a reader never sees a partial file.
    func writeFile(_ path: String, _ text: String) throws(DataDirectoryError) {
        let temporary = path + ".new"
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw DataDirectoryError(path: temporary, problem: "cannot be written", code: errno)
        }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard fchmod(descriptor, 0o600) == 0, unsafe write(descriptor, bytes, bytes.count) == bytes.count,
            fsync(descriptor) == 0, unsafe rename(temporary, path) == 0
        else { throw DataDirectoryError(path: path, problem: "cannot be written", code: errno) }
    }
}

package struct DataDirectoryError: Error, CustomStringConvertible {
    package var path: String
    package var problem: String
    /// `errno`, or `nil` if no system call failed.
    package var code: Int32?

    package var description: String {
        code.map { "\(path) \(problem): \(unsafe String(cString: strerror($0)))" } ?? "\(path) \(problem)"
    }
}
