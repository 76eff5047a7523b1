public import EventModel

/// Which events a subscriber wants. What is `nil` does not restrict.
public struct EventFilter: Sendable, Hashable {
    public var workspaceID: String?
    public var workspaceIDs: Set<String>?
    public var sessionID: String?
    public var types: Set<EventType>?
    /// The name of its first key, or the one that it gives itself.
    public var machineName: String?

    public init(
        workspaceID: String? = nil,
        sessionID: String? = nil,
        types: Set<EventType>? = nil,
        machineName: String? = nil
    ) {
        self.workspaceID = workspaceID
        self.sessionID = sessionID
        self.types = types
        self.machineName = machineName
    }

    public static let all = EventFilter()

    public func matches(_ event: EncodedEvent) -> Bool {
        if let sessionID, sessionID != event.sessionID { return false }
        if let workspaceID, workspaceID != event.workspaceID { return false }
        if let workspaceIDs {
            guard let workspace = event.workspaceID, workspaceIDs.contains(workspace) else { return false }
        }
        if let types, !types.contains(event.type) { return false }
        if let machineName, machineName != event.machineName, machineName != event.reportedMachineName { return false }
        return true
    }
}
