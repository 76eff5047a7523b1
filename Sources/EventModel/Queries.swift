/// Which committed events to read, in the order of `seq`.
public struct EventQuery: Sendable, Equatable {
    /// Exclusive bounds on `seq`.
    public var after: Int64?
    public var before: Int64?
    public var isDescending = false
    /// 1 to 1000.
    public var limit: Int
    /// Maximum bytes of payloads in the answer, which contains at least one event.
    public var maxBytes = 8 << 20
    public var sessionID: String?
    public var workspaceID: String?
    /// Any of these workspaces; empty means all.
    public var workspaceIDs: Set<String> = []
    public var machine: MachineFilter?
    /// Number of matching events to skip first.
    public var offset: Int?
    /// Empty means all types.
    public var types: Set<EventType> = []

    public init(limit: Int) {
        self.limit = limit
    }
}

/// The last row of a page of a sorted list. The next page begins after it.
package struct ListCursor: Sendable, Equatable {
    /// What the list is sorted by. Equal keys are sorted by id.
    package var key: Int64
    package var id: String

    package init(key: Int64, id: String) {
        (self.key, self.id) = (key, id)
    }

    /// For a list that is sorted by time.
    package init(at time: Timestamp, id: String) {
        self.init(key: time.microseconds, id: id)
    }

    package var time: Timestamp { Timestamp(microseconds: key) }
}

public struct EventPage: Sendable, Equatable {
    public var events: [CommittedEvent]
    /// The position at which the page ended before its limit, because of `maxBytes` or because enough of the log was
    /// examined. `events`, which may be empty, holds all matching events up to this position, and the next page begins
    /// after it. `nil` if the page did not end early.
    public var through: Int64?

    public var isComplete: Bool { through == nil }

    public init(events: [CommittedEvent], through: Int64? = nil) {
        self.events = events
        self.through = through
    }
}

/// Sums over all sessions.
public struct SessionStatistics: Sendable, Equatable {
    public var activeSessions: Int64 = 0
    public var idleSessions: Int64 = 0
    public var endedSessions: Int64 = 0
    public var waitingSessions: Int64 = 0
    public var totalMessages: Int64 = 0
    public var totalToolCalls: Int64 = 0
    public var tokens = TokenUsage()
    public var totalCost: Double = 0
    /// Models of sessions that have not ended, sorted.
    public var modelsInUse: [String] = []

    public init() {}
}

/// Number of sessions that have not ended, by what they do.
public struct OpenSessions: Sendable, Equatable {
    public var active: Int64 = 0
    /// Sessions without an event for five minutes.
    public var idle: Int64 = 0
    /// Sessions that wait for a person. They are also counted as active or idle.
    public var waiting: Int64 = 0
    /// Active sessions that work.
    public var running: Int64 = 0

    public init() {}
}

/// Where the log begins and ends.
public struct LogBounds: Sendable, Equatable {
    public var epoch: String
    /// The position of the newest event; 0 in an empty log.
    public var head: Int64
    /// The position of the oldest stored event; `head + 1` if none is stored.
    public var oldest: Int64

    public init(epoch: String, head: Int64, oldest: Int64) {
        self.epoch = epoch
        self.head = head
        self.oldest = oldest
    }
}

public struct MachineRecord: Sendable, Equatable {
    public var id: MachineID
    /// The name for which the machine's first key was created.
    public var name: String
    /// The name that the machine reports.
    public var reportedName: String?
    public var createdAt: Timestamp
    public var lastSeenAt: Timestamp?
    public var sessionCount: Int64
    /// Whether events of the machine are missing. Events that its sessions report as missing are not counted again.
    public var completeness = Completeness.unknown

    public init(
        id: MachineID,
        name: String,
        reportedName: String?,
        createdAt: Timestamp,
        lastSeenAt: Timestamp?,
        sessionCount: Int64
    ) {
        self.id = id
        self.name = name
        self.reportedName = reportedName
        self.createdAt = createdAt
        self.lastSeenAt = lastSeenAt
        self.sessionCount = sessionCount
    }
}

/// A machine key as listed. The key itself is not stored.
public struct KeyRecord: Sendable, Equatable {
    public var id: Int64
    public var machine: MachineID
    public var machineName: String
    /// The first characters of the key.
    public var prefix: String
    public var createdAt: Timestamp
    public var lastUsedAt: Timestamp?
    public var revokedAt: Timestamp?
    /// The device that made the key; `nil` if the operator made it. The key stays valid when the device is revoked.
    public var device: DeviceID?
    /// Whether programs with the key may ask for approvals that no file of the machine limits.
    public var mayApprove: Bool

    public init(
        id: Int64,
        machine: MachineID,
        machineName: String,
        prefix: String,
        createdAt: Timestamp,
        lastUsedAt: Timestamp?,
        revokedAt: Timestamp?,
        device: DeviceID?,
        mayApprove: Bool
    ) {
        self.id = id
        self.machine = machine
        self.machineName = machineName
        self.prefix = prefix
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.revokedAt = revokedAt
        self.device = device
        self.mayApprove = mayApprove
    }
}
