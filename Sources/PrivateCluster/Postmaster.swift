/// The postmaster of one data directory, whichever process started it.
struct Postmaster: Sendable {
    let layout: ClusterLayout

    private var file: PostmasterFile? {
        guard let text = try? FileSystem.readTail(layout.postmasterFile, limit: 4096) else { return nil }
        return PostmasterFile(text)
    }

    /// `nil` if no live process serves the data directory.
    var status: PostmasterFile.Status? {
        guard let file, ProcessTable.isPostgres(file.processID, in: layout.data) else { return nil }
        return file.status
    }

    /// PostgreSQL checks a lock file by its process id only. It refuses to start if the id now belongs to another
    /// process of the same user, which is common in containers, or to a zombie process. The files are removed only if
    /// no PostgreSQL process uses the data directory.
    func removeStaleFiles() throws(SystemFault) {
        if status != nil || ProcessTable.hasPostgres(in: layout.data) { return }
        for path in [layout.postmasterFile, layout.socketLock] {
            let text = try FileSystem.readTail(path, limit: 4096)
            if let file = text.flatMap(PostmasterFile.init), ProcessTable.exists(file.processID) {
                try FileSystem.removeFile(path)
            }
        }
    }

    /// After the postmaster was killed, its children hold the shared memory for a moment, and a new postmaster would
    /// refuse to start. An interrupted initdb leaves such a process too. Waits at most five seconds.
    func waitForOrphans(in directory: String) async throws(PrivateClusterError) {
        for _ in 0..<50 {
            guard ProcessTable.hasPostgres(in: directory) else { return }
            try await pause()
        }
    }

    /// The server's output during its last start, from the start log and, if the log collector runs, from its current
    /// file.
    func lastWords() -> String {
        let early = (try? FileSystem.readTail(layout.startLog, limit: 8192)) ?? ""
        guard early.contains("logging collector") else { return LogExcerpt.lastLines(of: early) }
        // One line per log: `stderr <path>`. Only the file name is used.
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
