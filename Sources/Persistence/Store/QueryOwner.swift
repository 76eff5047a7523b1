package import EventModel

/// On whose behalf a query runs. A store divides its connections fairly among owners.
///
/// The code that learns who sent a request sets `current` for the task that serves the request; the queries of that
/// task and of its child tasks then belong to the sender.
package enum QueryOwner: Hashable, Sendable {
    case server
    /// A key, a device or the operator, by its name in the audit log; without a credential the peer's address.
    case sender(String)

    /// The hooks and the agent of a machine, for what no single request causes.
    package static func machine(_ machine: MachineID) -> QueryOwner { .sender("machine:\(machine.rawValue)") }

    @TaskLocal package static var current = QueryOwner.server
}
