internal import Logging

/// A cluster that a server manages. The lock is held for the lifetime of this value.
struct RunningCluster: Sendable {
    let layout: ClusterLayout
    let tools: PostgresTools
    let lock: LockFile

    var postmaster: Postmaster { Postmaster(layout: layout) }

    /// Disconnects all clients and waits at most `timeout` seconds for the final checkpoint. Then performs an
    /// immediate shutdown, which requires recovery at the next start but loses no committed data.
    func stop(timeout: Int, logger: Logger) async {
        guard postmaster.status != nil else { return }
        let arguments = ["stop", "-s", "-w", "-D", layout.data]
        let orderly = try? await tools.run("pg_ctl", arguments + ["-m", "fast", "-t", "\(timeout)"])
        if orderly?.succeeded != true, postmaster.status != nil {
            logger.warning("private PostgreSQL did not stop in time", metadata: ["seconds": "\(timeout)"])
            let hard = try? await tools.run("pg_ctl", arguments + ["-m", "immediate", "-t", "2"])
            if hard?.succeeded != true { logger.error("private PostgreSQL could not be stopped") }
        }
        // pg_ctl waits for the postmaster to remove its file, which it does shortly before it ends.
        if postmaster.status == nil { try? await postmaster.waitForOrphans(in: layout.data) }
        if !layout.ownsSocketDirectory { FileSystem.removeEmptyDirectory(layout.socketDirectory) }
        logger.info("private PostgreSQL stopped")
    }
}
