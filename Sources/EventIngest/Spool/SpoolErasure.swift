package import EventModel
internal import JSON
internal import Logging

/// Selects the spooled events to remove: those of the sessions and those of the machine.
package struct SpoolErasure: Sendable {
    /// The ids of the sessions.
    package var sessions: Set<String>
    /// All events of this machine.
    package var machine: MachineID?

    package init(sessions: Set<String>, machine: MachineID?) {
        (self.sessions, self.machine) = (sessions, machine)
    }

    /// - Parameter event: a line of `RejectedEvents`.
    func holds(_ event: JSONValue) -> Bool {
        if let machine, event["machine"]?.integer == machine.rawValue { return true }
        return event["session_id"]?.string.map(sessions.contains) ?? false
    }
}

extension SpoolLoop {
    func erase(_ subject: SpoolErasure, _ completion: @Sendable (Bool) -> Void) {
        do throws(SpoolError) {
            let removed = try rejectedEvents.erase(subject)
            sideFileBytes -= removed
            shared.update { state in
                state.counts.rejectedBytes -= Int64(removed)
                if removed > 0 { state.gate.removedFile(bytes: removed) }
            }
            completion(true)
        } catch {
            logger.error("rejected events cannot be erased", metadata: ["error": "\(error)"])
            completion(false)
        }
    }
}
