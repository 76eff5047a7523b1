package import EventModel

/// A session belongs to the machine that began it. Events of other machines do not change it.
///
/// Claude Code keeps a session's id when its transcript is moved and resumed on another machine. The events that the
/// other machine posts form a separate session, whose id names both.
package enum SessionOwnership {
    /// The id of a session that continues, or is claimed, on a machine that did not begin it.
    package static func separateID(_ id: String, on machine: MachineID) -> String { id + suffix(machine) }

    /// Claude Code's own id of a machine's session.
    package static func claudeID(_ id: String, on machine: MachineID) -> String {
        let suffix = suffix(machine)
        return id.hasSuffix(suffix) ? String(id.dropLast(suffix.count)) : id
    }

    private static func suffix(_ machine: MachineID) -> String { "@\(machine.rawValue)" }

    /// Gives another machine's events in a session their own session. Returns `nil` if there are none.
    ///
    /// - Parameter owner: returns the machine that began a session, or `nil` if none has.
    /// - Returns: the events, and the new session ids, whose owners must be looked up in turn.
    static func separate(
        _ events: ArraySlice<MonitorEvent>,
        owner: (String) -> MachineID?
    ) -> (events: ArraySlice<MonitorEvent>, given: Set<String>)? {
        var begun: [String: MachineID] = [:]
        var separated = events
        var given: Set<String> = []
        for index in events.indices {
            guard let id = events[index].sessionID else { continue }
            let machine = events[index].machine
            guard let holder = owner(id) ?? begun[id] else {
                begun[id] = machine
                continue
            }
            guard holder != machine else { continue }
            let own = separateID(id, on: machine)
            separated[index].sessionID = own
            given.insert(own)
        }
        return given.isEmpty ? nil : (separated, given)
    }
}
