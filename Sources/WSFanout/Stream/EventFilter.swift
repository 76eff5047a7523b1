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
        if let sessionID, sessionID != event.sessionID { return false }
        if let workspaceID, workspaceID != event.workspaceID { return false }
        if let workspaceIDs {
            guard let workspace = event.workspaceID, workspaceIDs.contains(workspace) else { return false }
        }
        if let types, !types.contains(event.type) { return false }
        if let machine, !machine.matches(event.machine, reportedName: event.reportedMachineName) { return false }
        return true
    }
}
