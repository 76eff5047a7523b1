import RPC
import WSFanout

/// The events that one client wants, combined from `event/subscribe` and `workspace/subscribe`.
struct ClientStream: Sendable, Equatable {
    static let maxWorkspaces = 1000
    static let maxWatched = 64

    /// The filter of the last `event/subscribe`.
    var base = EventFilter.all
    /// The workspaces in the order of their subscription. Empty means all. A workspace named in `base` takes
    /// precedence.
    private(set) var workspaces: [String] = []
    /// The workspaces of `workspace/watch`.
    private var watched: Set<String> = []
    var dialect = Dialect.plain
    /// Whether the client has named a dialect. One that is only recognized by its name does not know `event/<type>`.
    var hasChosenDialect = false

    var transport: Transport {
        switch dialect {
        case .plain: .jsonRPC
        case .cdev: hasChosenDialect || base.types != nil ? .dialect : .dialectAlone
        }
    }

    var filter: EventFilter {
        var filter = base
        if base.workspaceID == nil, !workspaces.isEmpty { filter.workspaceIDs = Set(workspaces) }
        return filter
    }

    mutating func add(_ workspace: String) throws(RPCError) {
        if let only = base.workspaceID {
            base.workspaceID = nil
            workspaces = [only]
        }
        guard !workspaces.contains(workspace) else { return }
        guard workspaces.count < ClientStream.maxWorkspaces else {
            throw .invalidParameter("workspace_id", "is one more than \(ClientStream.maxWorkspaces) subscriptions")
        }
        workspaces.append(workspace)
    }

    mutating func watch(_ workspace: String, _ isWatched: Bool) throws(RPCError) {
        guard isWatched else {
            watched.remove(workspace)
            return
        }
        guard watched.contains(workspace) || watched.count < ClientStream.maxWatched else {
            throw .invalidParameter("workspace_id", "is one more than \(ClientStream.maxWatched) that are watched")
        }
        watched.insert(workspace)
    }

    mutating func remove(_ workspace: String) {
        if base.workspaceID == workspace { base.workspaceID = nil }
        workspaces.removeAll { $0 == workspace }
    }

    mutating func removeAll() {
        base.workspaceID = nil
        workspaces = []
    }

    /// An `event/subscribe` that names a workspace ends the subscriptions of `workspace/subscribe`.
    mutating func replace(with filter: EventFilter) {
        base = filter
        if filter.workspaceID != nil { workspaces = [] }
    }

    var subscribed: [String] { base.workspaceID.map { [$0] } ?? workspaces }
}
