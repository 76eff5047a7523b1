public import JSON

/// A project as displayed: a directory on a machine, or a project that a person created before any event named it.
public struct Project: Sendable, Equatable {
    public var id: String
    public var machine: MachineID?
    /// The name for which the machine's key was created.
    public var machineName: String?
    public var path: String?
    public var name: String
    public var description: String?
    /// A JSON object that clients store here.
    public var settings: [UInt8]?
    public var createdAt: Timestamp
    /// The time of the latest activity or change.
    public var updatedAt: Timestamp
    /// Orders the list. Accurate to a minute.
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

/// Which projects to list, most recently active first.
public struct ProjectQuery: Sendable, Equatable {
    /// Decides which sessions are active.
    public var now: Timestamp
    /// 1 to 200.
    public var limit: Int
    /// At most one of cursor and offset is set.
    package var cursor: ListCursor?
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
    /// Number of all matching projects; counted only if an offset was requested.
    public var total: Int64?

    public init(projects: [Project], hasMore: Bool, total: Int64?) {
        self.projects = projects
        self.hasMore = hasMore
        self.total = total
    }
}

/// A project that a person creates.
public struct NewProject: Sendable, Equatable {
    /// The id if it does not follow from machine and path.
    public var spareID: String
    public var name: String
    public var description: String?
    public var path: String?
    /// The machine's name or number.
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
    /// The directory may be on each of these machines.
    case ambiguous(machines: [String])
}

/// A person's changes to a project.
public struct ProjectChange: Sendable, Equatable {
    public enum Field<Value: Sendable & Equatable>: Sendable, Equatable {
        case keep
        case set(Value?)
    }

    /// `nil` keeps the name.
    public var name: String?
    public var description: Field<String> = .keep
    public var settings: Field<[UInt8]> = .keep

    public init() {}
}
