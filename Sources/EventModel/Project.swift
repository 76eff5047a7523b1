public import JSON

/// A project as it is shown: a directory on a machine, or what a person made before any event told of one.
public struct Project: Sendable, Equatable {
    public var id: String
    public var machine: MachineID?
    /// The name that the machine's key was made for.
    public var machineName: String?
    public var path: String?
    public var name: String
    public var description: String?
    /// A JSON object that clients keep here.
    public var settings: [UInt8]?
    public var createdAt: Timestamp
    /// The latest of activity and change.
    public var updatedAt: Timestamp
    /// Orders the list; to within a minute.
    public var lastActivityAt: Timestamp
    public var sessionCount: Int64 = 0
    public var activeSessionCount: Int64 = 0

    public init(
        id: String,
        name: String,
        path: String?,
        createdAt: Timestamp,
        updatedAt: Timestamp,
        lastActivityAt: Timestamp
    ) {
        self.id = id
        self.name = name
        self.path = path
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.lastActivityAt = lastActivityAt
    }

    public static let shape = ObjectShape<Project>("Project") { it in
        it.member("id") { $0.id }
        it.member("name") { $0.name }
        it.member("description") { $0.description }
        it.memberOrNull("path") { $0.path }
        it.member("machine_id") { $0.machineName }
        it.member("machine_name") { $0.machineName }
        it.member("created_at") { $0.createdAt }
        it.member("updated_at") { $0.updatedAt }
        it.member("is_active") { $0.activeSessionCount > 0 }
        it.member("session_count") { $0.sessionCount }
        it.member("active_session_count") { $0.activeSessionCount }
        it.member("settings") { $0.settings.map { JSONText($0) } }
    }
}

/// Which projects to list, the latest active first.
public struct ProjectQuery: Sendable, Equatable {
    /// What decides which sessions are active.
    public var now: Timestamp
    /// 1 to 200.
    public var limit: Int
    /// At most one of cursor and offset.
    public var cursor: ActivityCursor?
    public var offset: Int?
    public var machine: MachineFilter?

    public init(now: Timestamp, limit: Int) {
        self.now = now
        self.limit = limit
    }
}

public struct ProjectPage: Sendable, Equatable {
    public var projects: [Project]
    public var hasMore: Bool
    /// All projects that fit the query; counted only where an offset was asked for.
    public var total: Int64?

    public init(projects: [Project], hasMore: Bool, total: Int64?) {
        self.projects = projects
        self.hasMore = hasMore
        self.total = total
    }
}

/// A project that a person makes.
public struct NewProject: Sendable, Equatable {
    /// Used where machine and path do not make the id.
    public var spareID: String
    public var name: String
    public var description: String?
    public var path: String?
    /// Its name or its number.
    public var machine: String?
    public var settings: [UInt8]?

    public init(spareID: String, name: String) {
        self.spareID = spareID
        self.name = name
    }
}

public enum ProjectCreation: Sendable, Equatable {
    case created(id: String)
    case exists(id: String)
    case unknownMachine
}

/// What a person changes about a project.
public struct ProjectChange: Sendable, Equatable {
    public enum Field<Value: Sendable & Equatable>: Sendable, Equatable {
        case keep
        case set(Value?)
    }

    /// `nil` keeps it.
    public var name: String?
    public var description: Field<String> = .keep
    public var settings: Field<[UInt8]> = .keep

    public init() {}
}
