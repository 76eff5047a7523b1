internal import JSON
internal import MachinePolicy
internal import Synchronization
internal import Workers
internal import WorkspaceFiles

/// What is watched on behalf of the server. Without a wish of the server there are neither threads nor descriptors.
actor WorkspaceWatches {
    /// A notice to the server: its method and its parameters.
    typealias Notice = (method: String, params: JSONValue)

    private struct Key: Hashable {
        var workspaceID: String
        var directory: String
        var isGit: Bool
    }

    /// Notices that wait for the connection. The oldest go first.
    private static let mostNotices = 1024

    nonisolated let notices: AsyncStream<Notice>
    private let sink: AsyncStream<Notice>.Continuation
    private var running: [Key: StopSignal] = [:]
    private var budget = WatchBudget(0)
    private var budgetSize = -1

    init() {
        (notices, sink) = AsyncStream.makeStream(of: Notice.self, bufferingPolicy: .bufferingNewest(Self.mostNotices))
    }

    func set(_ wishes: [WatchCommand.Wish], _ context: WorkspaceContext) {
        if budgetSize != context.file.watches {
            budgetSize = context.file.watches
            budget = WatchBudget(budgetSize)
        }
        var wanted: Set<Key> = []
        for wish in wishes {
            func key(isGit: Bool) -> Key {
                Key(workspaceID: wish.workspaceID, directory: wish.directory, isGit: isGit)
            }
            if wish.files { wanted.insert(key(isGit: false)) }
            if wish.git { wanted.insert(key(isGit: true)) }
        }
        for (key, stop) in running where !wanted.contains(key) {
            stop.set()
            running[key] = nil
        }
        for key in wanted where running[key] == nil { begin(key, context) }
    }

    func stopAll() {
        for stop in running.values { stop.set() }
        running = [:]
    }

    private func begin(_ key: Key, _ context: WorkspaceContext) {
        let stop = StopSignal()
        let watch = WorkspaceWatch(
            workspaceID: key.workspaceID,
            directory: key.directory,
            context: context,
            budget: budget,
            stop: stop
        ) { [sink] method, params in sink.yield((method, params)) }
        do throws(WorkerThreadError) {
            _ = try WorkerThread(name: key.isGit ? "git watch" : "file watch") {
                if key.isGit { GitWatch(watch: watch).run() } else { FileWatch(watch: watch).run() }
            }
            running[key] = stop
        } catch {
            watch.tellState(of: key.isGit ? "git" : "files", .off, "\(error)")
        }
    }
}

/// What the watches of a workspace's files and of its repository have in common.
struct WorkspaceWatch: Sendable {
    enum Mode: String, Sendable {
        /// The system tells what changes.
        case events
        /// The agent looks again and again.
        case polling
        case off
    }

    /// Seconds after which something that could not be watched is tried again.
    static let retrySeconds = 10.0
    /// Seconds after which events of the system are tried again in place of looking.
    static let pollingSeconds = 300.0

    let workspaceID: String
    let directory: String
    private let startContext: WorkspaceContext
    let budget: WatchBudget
    let stop: StopSignal
    private let tell: @Sendable (String, JSONValue) -> Void
    /// What was told last of the watch itself.
    private let told = WatchMemory()

    init(
        workspaceID: String,
        directory: String,
        context: WorkspaceContext,
        budget: WatchBudget,
        stop: StopSignal,
        tell: @escaping @Sendable (String, JSONValue) -> Void
    ) {
        (self.workspaceID, self.directory, startContext) = (workspaceID, directory, context)
        (self.budget, self.stop, self.tell) = (budget, stop, tell)
    }

    /// The machine's file is read again.
    var context: WorkspaceContext {
        WorkspaceContext(
            file: startContext.files.agent(),
            files: startContext.files,
            places: startContext.places,
            environment: startContext.environment,
            by: startContext.by,
            seconds: startContext.seconds,
            services: startContext.services
        )
    }

    func tell(_ method: String, _ members: [(String, JSONValue)]) {
        guard !stop.isSet else { return }
        tell(method, .object([("workspace_id", .string(workspaceID))] + members))
    }

    /// Says once how the part is watched, and why not better.
    func tellState(of part: String, _ mode: Mode, _ reason: String? = nil) {
        let members: [(String, JSONValue)] = [
            ("part", .string(part)), ("mode", .string(mode.rawValue)),
            ("reason", reason.map(JSONValue.string) ?? .null),
        ]
        if told.isNew(.object(members)) { tell("watch/state", members) }
    }
}

private final class WatchMemory: Sendable {
    private let last = Mutex<JSONValue?>(nil)

    func isNew(_ value: JSONValue) -> Bool {
        last.withLock { last in
            defer { last = value }
            return last != value
        }
    }
}
