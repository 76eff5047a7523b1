/// Creates the cluster's data directory atomically: `data` either does not exist or is complete.
struct ClusterInitializer: Sendable {
    let layout: ClusterLayout
    let tools: PostgresTools

    /// An interrupted attempt leaves only `data.new` behind.
    func initialize() async throws(PrivateClusterError) {
        try await Postmaster(layout: layout).waitForOrphans(in: layout.unfinishedData)
        try await removeUnfinished()
        let outcome = try await tools.run(
            "initdb",
            [
                "-D", layout.unfinishedData, "-U", ClusterLayout.roleName, "--auth=trust", "--encoding=UTF8",
                "--locale=C.UTF-8", "--lc-collate=C", "--data-checksums", "--no-instructions",
            ],
            limit: 300
        )
        guard outcome.succeeded else {
            try? await removeUnfinished()
            throw PrivateClusterError(
                .initializationFailed,
                "initdb could not make the cluster in \(layout.directory):\n\(outcome.lastLines)"
            )
        }
        do {
            try FileSystem.rename(layout.unfinishedData, to: layout.data)
            try FileSystem.syncDirectory(layout.directory)
        } catch {
            throw error.clusterError
        }
    }

    /// Removes it as the service user, who can damage only its own files, whatever the tree contains.
    private func removeUnfinished() async throws(PrivateClusterError) {
        let outcome = try await tools.run("/bin/rm", ["-rf", "--", layout.unfinishedData])
        guard outcome.succeeded else {
            throw PrivateClusterError(.initializationFailed, outcome.lastLines)
        }
    }
}
