package import Signing

/// The keys with which a server seals the secrets that the database stores: `secrets.key` (0600), one key a line. All
/// servers of a database need the same keys, so the file is copied to each of them.
package struct SecretKeyFile: Sendable {
    /// Keeps the file within the 4 KiB that are read of it.
    private static let mostKeys = 64

    private let directory: DataDirectory
    package var path: String { directory.path + "/secrets.key" }

    package init(in directory: DataDirectory) {
        self.directory = directory
    }

    /// Returns no keys if the file does not exist. Throws if a line is no key, or if other users may read or write the
    /// file.
    package func read() throws(DataDirectoryError) -> [SecretKey] {
        guard let bytes = try directory.readFile(path) else { return [] }
        try directory.requirePrivate(path, "the keys: monitorctl secrets rotate")
        var keys: [SecretKey] = []
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            guard let key = SecretKey(text: line), keys.count < SecretKeyFile.mostKeys else {
                throw DataDirectoryError(path: path, problem: "does not hold keys, one a line", code: nil)
            }
            keys.append(key)
        }
        return keys
    }

    /// Replaces the file. The keys are on the disk when this returns.
    package func write(_ keys: [SecretKey]) throws(DataDirectoryError) {
        guard keys.count <= SecretKeyFile.mostKeys else {
            let problem = "would hold more than \(SecretKeyFile.mostKeys) keys; finish the rotation first"
            throw DataDirectoryError(path: path, problem: problem, code: nil)
        }
        try directory.writeFile(path, keys.map { $0.text + "\n" }.joined())
    }
}
