internal import EventModel
internal import Synchronization

/// The machine that owns the events which the operator posts with the admin token.
final class OperatorMachine: Sendable {
    static let name = "operator"

    private let number = Mutex<MachineID?>(nil)

    /// `nil` before the first connection to the database.
    var id: MachineID? { number.withLock { $0 } }

    func keep(_ id: MachineID) {
        number.withLock { $0 = id }
    }
}
