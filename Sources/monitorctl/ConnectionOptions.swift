import ArgumentParser
import Foundation

/// The options that every command accepts.
struct ConnectionOptions: ParsableArguments {
    @Option(help: "The server's address (MONITOR_URL).")
    var url: String?

    @Option(help: "The admin token (MONITOR_ADMIN_TOKEN). Other users can see flags; prefer the variable or the file.")
    var token: String?

    @Option(help: "The server's data directory, which contains admin.token (MONITOR_DATA_DIR).")
    var dataDir: String?

    @Option(help: "PEM certificates to trust instead of the system's, for an https address (MONITOR_CA_FILE).")
    var caFile: String?

    @Flag(help: "Print the server's JSON unchanged, for programs.")
    var json = false

    var flags: Credentials.Flags {
        Credentials.Flags(url: url, token: token, dataDirectory: dataDir, caFile: caFile)
    }

    func client() throws(CommandError) -> HTTPClient {
        let environment = ProcessInfo.processInfo.environment
        let credentials = try Credentials.resolve(flags: flags, environment: environment, readFile: readTextFile)
        prepareTransport(environment)
        if let path = credentials.caFile { try TrustedCertificates.use(file: path) }
        return HTTPClient(credentials)
    }

    /// URLSession reads the proxy from the environment only. The token for a loopback server must not pass through a
    /// proxy.
    private func prepareTransport(_ environment: [String: String]) {
        let exempt = [environment["no_proxy"] ?? environment["NO_PROXY"], "localhost,127.0.0.1,::1"]
        setenv("no_proxy", exempt.compactMap(\.self).joined(separator: ","), 1)
    }
}

/// A command that sends requests to the server. Errors become one line on stderr and the documented exit status.
protocol ServerCommand: AsyncParsableCommand {
    var connection: ConnectionOptions { get }
    func execute(_ client: HTTPClient) async throws
}

extension ServerCommand {
    func run() async throws {
        do {
            try await execute(connection.client())
        } catch let error as CommandError {
            Output.note("monitorctl: \(error.message)")
            throw ExitCode(error.exitCode)
        } catch is Output.Closed {
            return
        }
    }
}
