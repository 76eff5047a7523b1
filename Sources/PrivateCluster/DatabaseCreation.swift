/// Makes the server's database where it is absent, and proves on the way that the cluster takes connections.
struct DatabaseCreation: Sendable {
    let layout: ClusterLayout
    let tools: PostgresTools

    func createIfAbsent() async throws(PrivateClusterError) {
        let name = ClusterLayout.databaseName
        if try await query("SELECT 1 FROM pg_database WHERE datname = '\(name)'") == "1\n" { return }
        _ = try await query("CREATE DATABASE \(name)")
    }

    private func query(_ sql: String) async throws(PrivateClusterError) -> String {
        let target = layout.connectionString(database: "postgres")
        let outcome = try await tools.run("psql", ["-X", "-q", "-t", "-A", "-d", target, "-c", sql])
        guard outcome.succeeded else {
            throw PrivateClusterError(.startFailed, "PostgreSQL runs but cannot be used:\n\(outcome.lastLines)")
        }
        return outcome.output
    }
}
