internal import GitRunner
internal import JSON
internal import MachinePolicy
internal import Synchronization
internal import Workers

/// The change sets of sessions. One command at a time works on that of a session. May be used on any thread.
final class SessionChanges: Sendable {
    /// Seconds for git to take a state of a work tree.
    static let seconds = 60.0

    private let turns = GitWriters(seconds: seconds)
    private let lists = ChangeLists()
    /// The stops of each session that are being taken or wait for that.
    private let stops = Mutex<[String: Int]>([:])

    /// Takes the baseline of a session, unless it has one.
    ///
    /// - Parameter isFinal: whether it counts as missing if that takes too long.
    func begin(
        _ session: ChangeStore.Session,
        seconds: Double = seconds,
        isFinal: Bool = true,
        _ context: WorkspaceContext
    ) async throws -> Bool {
        try context.file.requireUsable()
        guard let real = await runBlocking({ SmallFile.realPath(session.directory) }), SmallFile.isDirectory(real)
        else {
            throw CommandRefusal(.outsideRoots, "\(session.directory) is no directory below a root of this machine.")
        }
        try SessionChanges.require(real, as: session.directory, context)
        return try await use(session.id, context) { store throws(GitError) in
            try store.begin(session, seconds: seconds, isFinal: isFinal)
        }
    }

    /// Takes the state at a stop. Of several stops that wait, one is enough.
    func stop(_ id: String, _ context: WorkspaceContext) async throws -> Bool {
        let isNeeded = stops.withLock { stops in
            guard stops[id, default: 0] < 2 else { return false }
            stops[id, default: 0] += 1
            return true
        }
        guard isNeeded else { return true }
        defer {
            stops.withLock { stops in
                let left = (stops[id] ?? 1) - 1
                stops[id] = left > 0 ? left : nil
            }
        }
        return try await use(id, context) { store throws(GitError) in
            try store.stop(id, seconds: SessionChanges.seconds)
        }
    }

    func changes(_ query: ChangeQuery, _ context: WorkspaceContext) async throws -> JSONValue {
        try context.file.requireUsable()
        let (lists, seconds) = (lists, context.seconds)
        let id = query.sessionID
        if let directory = try await use(id, context, { store in store.directory(of: id) }) {
            try SessionChanges.require(directory, as: directory, context)
        }
        return try await use(id, context) { store throws(GitError) in
            try store.changes(query, lists, seconds: max(1, seconds - 1))
        }
    }

    /// The sessions with a change set that nobody has used for some seconds.
    func sessions(unusedFor seconds: Int64, _ context: WorkspaceContext) async throws -> [String] {
        let store = try await store(context)
        return await runBlocking { store.sessions(unusedFor: seconds) }
    }

    func erase(_ ids: [String], _ context: WorkspaceContext) async throws {
        for id in ids {
            _ = try await use(id, context) { store throws(GitError) in
                store.erase(id)
                return true
            }
        }
    }

    private static func require(
        _ directory: String,
        as shown: String,
        _ context: WorkspaceContext
    ) throws(CommandRefusal) {
        let root = try context.root(of: directory, as: shown)
        guard root.allowance.git >= .read else {
            throw CommandRefusal(
                .notAllowed,
                "The machine's file agent says git=\(root.allowance.git.rawValue) there; this needs git=read."
            )
        }
    }

    private func store(_ context: WorkspaceContext) async throws(GitError) -> ChangeStore {
        let program = try await context.services.git.program(context)
        return ChangeStore(try GitCommand.settings(program, context, word: .read))
    }

    private func use<Value: Sendable>(
        _ id: String,
        _ context: WorkspaceContext,
        _ work: @escaping @Sendable (ChangeStore) throws(GitError) -> Value
    ) async throws -> Value {
        do throws(GitError) {
            let store = try await store(context)
            return try await turns.withTurn(id) { () async throws(GitError) in
                try await runBlocking { () throws(GitError) in try work(store) }
            }
        } catch {
            throw CommandRefusal.refusal(error)
        }
    }
}
