import EventModel
import Sessions

/// What the writer needs to know about a session: the machine that began it, and its directory. The projection folds
/// the rest.
struct SessionOwner: Equatable {
    struct Path: Equatable {
        var text: String
        /// The order of the event that provided the path. The earliest event wins.
        var order: EventOrder
    }

    let machine: MachineID
    private(set) var path: Path?
    private(set) var workspaceID: String?

    init(machine: MachineID, path: Path? = nil) {
        self.machine = machine
        self.path = path
        workspaceID = path.map { WorkspaceID.make(machine: machine, path: $0.text) }
    }

    /// Returns whether the row must be written.
    mutating func apply(_ event: MonitorEvent) -> Bool {
        guard let text = event.projectPath else { return false }
        let claim = Path(text: text, order: event.order)
        if let path, path.order <= claim.order { return false }
        if path?.text != text { workspaceID = WorkspaceID.make(machine: machine, path: text) }
        path = claim
        return true
    }
}
