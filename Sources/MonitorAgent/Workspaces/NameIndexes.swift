internal import Host
internal import Workers
internal import WorkspaceFiles

/// The indexes of names that were used of late, by the real paths of their directories.
actor NameIndexes {
    private struct Entry {
        var index: NameIndex
        var usedAt: Double
        /// After this, a search builds it anew.
        var staleAt: Double
    }

    private struct Built {
        var index: NameIndex
        var seconds: Double
    }

    /// Seconds after which an index that nobody uses is dropped.
    private let idleSeconds: Double
    private var entries: [[UInt8]: Entry] = [:]
    private var building: [[UInt8]: Task<Built, Never>] = [:]
    /// The last build that was asked for. Builds follow each other, so that only one takes memory.
    private var lastBuild: Task<Built, Never>?
    private var isSweeping = false

    init(idleSeconds: Double = 600) { self.idleSeconds = idleSeconds }

    var count: Int { entries.count }

    /// - Parameters:
    ///   - directory: names the index: its real path, and what is left out.
    ///   - build: blocks.
    func index(of directory: [UInt8], build: @escaping @Sendable () -> NameIndex) async -> NameIndex {
        let now = SystemClock.monotonicSeconds()
        if let entry = entries[directory], now < entry.staleAt {
            entries[directory]?.usedAt = now
            return entry.index
        }
        if let task = building[directory] { return await task.value.index }
        let earlier = lastBuild
        let task = Task {
            _ = await earlier?.value
            let began = SystemClock.monotonicSeconds()
            let index = await runBlocking(build)
            return Built(index: index, seconds: SystemClock.monotonicSeconds() - began)
        }
        building[directory] = task
        lastBuild = task
        let built = await task.value
        building[directory] = nil
        if building.isEmpty { lastBuild = nil }
        keep(built.index, of: directory, builtIn: built.seconds)
        return built.index
    }

    /// A file that came into being meanwhile is found after at most fifty times what the index takes to build.
    private func keep(_ index: NameIndex, of directory: [UInt8], builtIn seconds: Double) {
        let now = SystemClock.monotonicSeconds()
        let age = min(300, 2 + 50 * seconds)
        entries[directory] = Entry(index: index, usedAt: now, staleAt: now + age)
        while entries.values.reduce(0, { $0 + $1.index.byteCount }) > NameIndex.mostBytes, entries.count > 1,
            let oldest = entries.min(by: { $0.value.usedAt < $1.value.usedAt })
        {
            entries[oldest.key] = nil
        }
        guard !isSweeping else { return }
        isSweeping = true
        Task { await sweep() }
    }

    private func sweep() async {
        while !entries.isEmpty {
            try? await Task.sleep(for: .seconds(idleSeconds / 10))
            let now = SystemClock.monotonicSeconds()
            entries = entries.filter { now - $0.value.usedAt < idleSeconds }
        }
        isSweeping = false
    }
}
