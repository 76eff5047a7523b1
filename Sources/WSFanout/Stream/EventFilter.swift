public import EventModel

/// Which events a subscriber gets. A `nil` member does not restrict.
public struct EventFilter: Sendable, Hashable {
    public var workspaceID: String?
    public var workspaceIDs: Set<String>?
    public var sessionID: String?
    public var types: Set<EventType>?
    public var machine: MachineFilter?

    public init(
        workspaceID: String? = nil,
        sessionID: String? = nil,
        types: Set<EventType>? = nil,
        machine: MachineFilter? = nil
    ) {
        self.workspaceID = workspaceID
        self.sessionID = sessionID
        self.types = types
        self.machine = machine
    }

    public static let all = EventFilter()

    public func matches(_ event: EncodedEvent) -> Bool {
        if let types, !types.contains(event.type) { return false }
        return covers(
            session: event.sessionID,
            workspace: event.workspaceID,
            machine: event.machine,
            reportedName: event.reportedMachineName
        )
    }

    /// Whether a session's events match, apart from their types.
    package func covers(session: String?, workspace: String?, machine: MachineID, reportedName: String?) -> Bool {
        if let sessionID, sessionID != session { return false }
        if let workspaceID, workspaceID != workspace { return false }
        if let workspaceIDs {
            guard let workspace, workspaceIDs.contains(workspace) else { return false }
        }
        return self.machine?.matches(machine, reportedName: reportedName) ?? true
    }
}
