/// A directory with the PostgreSQL programs, and their major version.
struct PostgresInstallation: Sendable, Equatable {
    let binaryDirectory: String
    let majorVersion: Int

    /// `pg_ctl (PostgreSQL) 15.12 (Debian 15.12-0+deb12u2)` -> 15, `... 18beta1` -> 18.
    static func majorVersion(inBanner banner: String) -> Int? {
        guard let marker = banner.firstRange(of: "(PostgreSQL) ") else { return nil }
        return Int(banner[marker.upperBound...].prefix { ("0"..."9").contains($0) })
    }

    /// Chooses an installation. `installed` is in order of preference. An existing cluster only runs with its own
    /// version.
    static func choose(
        from installed: [PostgresInstallation],
        clusterVersion: Int?
    ) throws(PrivateClusterError) -> PostgresInstallation? {
        guard let clusterVersion, !installed.isEmpty else { return installed.first }
        if let match = installed.first(where: { $0.majorVersion == clusterVersion }) { return match }
        throw .versionMismatch(cluster: clusterVersion, installed: installed.map(\.majorVersion))
    }
}

/// Finds PostgreSQL: only the configured directory if there is one; otherwise the directory that `pg_config` reports,
/// those of the distributions from the newest version down, and the search path.
struct InstallationSearch: Sendable {
    static let versions = (14...30).reversed()

    let configuration: PrivateClusterConfiguration
    let identity: ServiceIdentity

    func installation(clusterVersion: Int?) async throws(PrivateClusterError) -> PostgresInstallation {
        var installed: [PostgresInstallation] = []
        for directory in await candidates() {
            if let found = await installation(in: directory), !installed.contains(found) { installed.append(found) }
        }
        guard let chosen = try PostgresInstallation.choose(from: installed, clusterVersion: clusterVersion) else {
            throw .binariesMissing(
                in: configuration.binaryDirectory.map { [$0] }
                    ?? ["/usr/lib/postgresql/*/bin", configuration.searchPath]
            )
        }
        return chosen
    }

    private func candidates() async -> [String] {
        if let directory = configuration.binaryDirectory { return [directory] }
        let searched = configuration.searchPath.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
        var directories: [String] = []
        if let directory = searched.first(where: { FileSystem.isExecutable($0 + "/pg_config") }) {
            let outcome = try? await PostgresTools(binaryDirectory: directory, identity: identity)
                .run("pg_config", ["--bindir"])
            if let outcome, outcome.succeeded { directories.append(String(outcome.output.prefix { $0 != "\n" })) }
        }
        directories += Self.versions.map { "/usr/lib/postgresql/\($0)/bin" }
        directories += Self.versions.map { "/usr/pgsql-\($0)/bin" }
        return directories + searched
    }

    private func installation(in directory: String) async -> PostgresInstallation? {
        guard PostgresTools.required.allSatisfy({ FileSystem.isExecutable("\(directory)/\($0)") }) else { return nil }
        let tools = PostgresTools(binaryDirectory: directory, identity: identity)
        guard let outcome = try? await tools.run("pg_ctl", ["--version"]), outcome.succeeded else { return nil }
        guard let version = PostgresInstallation.majorVersion(inBanner: outcome.output) else { return nil }
        return PostgresInstallation(binaryDirectory: directory, majorVersion: version)
    }
}
