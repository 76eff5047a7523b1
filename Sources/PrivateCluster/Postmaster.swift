/// The postmaster of one data directory, as seen from outside: whoever started it.
struct Postmaster: Sendable {
    let layout: ClusterLayout

    private var file: PostmasterFile? {
        guard let text = try? FileSystem.readTail(layout.postmasterFile, limit: 4096) else { return nil }
        return PostmasterFile(text)
    }

    /// `nil`: no living process serves the data directory.
    var status: PostmasterFile.Status? {
        guard let file, ProcessTable.isPostgres(file.processID, in: layout.data) else { return nil }
        return file.status
    }

    /// PostgreSQL judges a lock file by its process number alone and refuses to start where that number belongs to
    /// another process of the same user by now, which is common in containers, or to one that has ended and that nobody
    /// waits for. The files go only if no PostgreSQL process at all is left on the data directory.
    func removeStaleFiles() throws(SystemFault) {
        if status != nil || ProcessTable.hasPostgres(in: layout.data) { return }
        for path in [layout.postmasterFile, layout.socketLock] {
            let text = try FileSystem.readTail(path, limit: 4096)
            if let file = text.flatMap(PostmasterFile.init), ProcessTable.exists(file.processID) {
                try FileSystem.removeFile(path)
            }
        }
    }

    /// After the postmaster was killed its children hold the shared memory for a moment, and a new one would refuse to
    /// start; an interrupted initdb leaves one too. Waits at most five seconds.
    func waitForOrphans(in directory: String) async throws(PrivateClusterError) {
        for _ in 0..<50 {
            guard ProcessTable.hasPostgres(in: directory) else { return }
            try await pause()
        }
    }

    /// What the server said in its last start: in the start log, and once the log collector runs, in its current file.
    func lastWords() -> String {
        let early = (try? FileSystem.readTail(layout.startLog, limit: 8192)) ?? ""
        guard early.contains("logging collector") else { return LogExcerpt.lastLines(of: early) }
        // One line per log: `stderr <path>`. Only the name is believed.
        let current = try? FileSystem.readTail(layout.data + "/current_logfiles", limit: 4096)
        guard let name = current?.split(whereSeparator: \.isNewline).first?.split(separator: "/").last else {
            return LogExcerpt.lastLines(of: early)
        }
        let late = (try? FileSystem.readTail("\(layout.logDirectory)/\(name)", limit: 8192)) ?? ""
        return LogExcerpt.lastLines(of: LogExcerpt.lastStart(in: late))
    }

    func pause() async throws(PrivateClusterError) {
        do {
            try await Task.sleep(for: .milliseconds(100))
        } catch {
            throw PrivateClusterError(.cancelled, "The start of PostgreSQL was cancelled.")
        }
    }
}
