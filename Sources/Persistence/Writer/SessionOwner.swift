import EventModel

/// What the writer has to know of a session: which machine began it, and in which directory. The rest is folded behind
/// the log.
struct SessionOwner: Equatable {
    struct Path: Equatable {
        var text: String
        /// Time and id of the event that names it: the earliest counts.
        var at: Timestamp
        var event: EventID
    }

    let machine: MachineID
    private(set) var path: Path?
    private(set) var workspaceID: String?

    init(machine: MachineID, path: Path? = nil) {
        self.machine = machine
        self.path = path
        workspaceID = path.map { WorkspaceID.make(machine: machine, path: $0.text) }
    }

    /// Returns whether the row has to be written.
    mutating func apply(_ event: MonitorEvent) -> Bool {
        guard let text = event.projectPath else { return false }
        let claim = Path(text: text, at: event.claimTime, event: event.id)
        if let path, !claim.isBefore(path) { return false }
        if path?.text != text { workspaceID = WorkspaceID.make(machine: machine, path: text) }
        path = claim
        return true
    }
}

extension SessionOwner.Path {
    fileprivate func isBefore(_ other: SessionOwner.Path) -> Bool {
        (at.microseconds, event.high, event.low) < (other.at.microseconds, other.event.high, other.event.low)
    }
}

extension MonitorEvent {
    /// The sender's time, or that of receipt where the sender's clock is too far ahead: as sessions are ordered by.
    fileprivate var claimTime: Timestamp {
        timestamp.seconds(since: receivedAt) <= 300 ? timestamp : receivedAt
    }
}
