/// A project directory on a machine.
public struct WorkspaceRecord: Sendable, Equatable {
    public var id: String
    /// The displayed name: the last component of the path, until the workspace is renamed.
    public var name: String
    public var path: String
    public var machineName: String
    public var createdAt: Timestamp
    public var lastActivityAt: Timestamp
    /// Whether the machine's agent opens a session here when it starts.
    public var autoStart: Bool

    public init(
        id: String,
        name: String,
        path: String,
        machineName: String,
        createdAt: Timestamp,
        lastActivityAt: Timestamp,
        autoStart: Bool = false
    ) {
        self.id = id
        self.name = name
        self.path = path
        self.machineName = machineName
        self.createdAt = createdAt
        self.lastActivityAt = lastActivityAt
        self.autoStart = autoStart
    }
}

/// The most recently active workspaces.
public struct WorkspacePage: Sendable, Equatable {
    /// At most 500.
    public var workspaces: [WorkspaceRecord]
    public var total: Int64

    public init(workspaces: [WorkspaceRecord], total: Int64) {
        self.workspaces = workspaces
        self.total = total
    }
}
