import EventModel

/// A session belongs to the machine that began it: nobody else's events change it.
///
/// Claude Code keeps a session's id when its transcript is moved and resumed on another machine. What that machine
/// posts is a session of its own, under an id that names both.
enum SessionOwnership {
    /// The id of a session that goes on, or is claimed, on a machine that did not begin it.
    static func separateID(_ id: String, on machine: MachineID) -> String { "\(id)@\(machine.rawValue)" }

    /// Gives events of another machine's session their own. `nil`: there are none.
    ///
    /// - Parameter owner: whose a session is; `nil` where nobody has begun it.
    /// - Returns: the events, and the ids given, whose owners have to be looked at in turn.
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
