import Foundation

/// The server's address and credential. Flags take precedence over the environment, and the environment over files.
struct Credentials: Equatable {
    var server: URL
    /// `nil` if no token was given or found.
    var token: String?
    /// Set if a token file exists but cannot be read.
    var tokenFault: String?
    /// PEM certificates to trust instead of the system's.
    var caFile: String?

    struct Flags: Equatable {
        var url: String?
        var token: String?
        var dataDirectory: String?
        var caFile: String?
    }

    static let defaultServer = "http://127.0.0.1:8766"

    /// - Parameter readFile: returns the contents of the file at a path, or `nil` if it does not exist.
    static func resolve(
        flags: Flags,
        environment: [String: String],
        readFile: (String) throws -> String?
    ) throws(CommandError) -> Credentials {
        let text = flags.url ?? environment.nonEmpty("MONITOR_URL") ?? defaultServer
        guard let url = URL(string: text), url.scheme == "http" || url.scheme == "https",
            url.host?.isEmpty == false, url.user == nil, url.query == nil
        else {
            throw .refused("the server's address must look like http://host:port or https://host")
        }
        var credentials = Credentials(server: url)
        credentials.caFile = flags.caFile ?? environment.nonEmpty("MONITOR_CA_FILE")
        if let token = flags.token ?? environment.nonEmpty("MONITOR_ADMIN_TOKEN") {
            credentials.token = token.trimmed
            return credentials
        }
        let path = dataDirectory(flags: flags, environment: environment) + "/admin.token"
        do {
            let token = try readFile(path)?.trimmed
            credentials.token = token?.isEmpty == true ? nil : token
        } catch {
            credentials.tokenFault = "\(path) cannot be read: run as the server's user"
        }
        return credentials
    }

    static func dataDirectory(flags: Flags, environment: [String: String]) -> String {
        if let given = flags.dataDirectory ?? environment.nonEmpty("MONITOR_DATA_DIR") { return given }
        if let base = environment.nonEmpty("XDG_DATA_HOME") { return base + "/claude-monitor" }
        return (environment["HOME"] ?? "") + "/.local/share/claude-monitor"
    }
}

extension [String: String] {
    func nonEmpty(_ key: String) -> String? {
        self[key].flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension String {
    var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}

/// The contents of a text file, or `nil` if it does not exist.
func readTextFile(_ path: String) throws -> String? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    return try String(contentsOfFile: path, encoding: .utf8)
}
