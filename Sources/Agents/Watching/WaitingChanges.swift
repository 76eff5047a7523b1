package import EventModel
package import JSON

/// Changes of files that wait for a moment, because the hook that says who made them may come after them. Pure; times
/// are on the steady clock.
package struct WaitingChanges {
    /// A change to be told.
    package struct Change: Sendable, Equatable {
        package var workspaceID: String
        package var machine: MachineID
        /// The absolute path, for comparison with those of hooks.
        package var path: String
        package var json: JSONValue
        package var from: Timestamp
        package var to: Timestamp
        package var author: FileAuthors.Author?
    }

    /// Seconds that a change waits for a hook.
    package static let seconds = 0.4
    /// The same while a tool is known to work on the file.
    package static let longSeconds = 2.0
    /// More are told at once.
    private static let most = 4096

    private var authors = FileAuthors()
    private var waiting: [(change: Change, until: Timestamp)] = []

    package init() {}

    /// When `due` has something to say.
    package var deadline: Timestamp? { waiting.map(\.until).min() }

    package mutating func note(_ event: MonitorEvent) { authors.note(event) }

    package mutating func add(_ changes: AgentFileChanges, on machine: MachineID, now: Timestamp) {
        for json in changes.changes {
            let name = json["path"]?.string ?? ""
            let path = (changes.directory == "/" ? "" : changes.directory) + "/" + name
            let change = Change(
                workspaceID: changes.workspaceID,
                machine: machine,
                path: path,
                json: json,
                from: changes.from,
                to: changes.to
            )
            let seconds =
                waiting.count >= WaitingChanges.most
                ? 0 : authors.isExpected(path, on: machine) ? WaitingChanges.longSeconds : WaitingChanges.seconds
            waiting.append((change, now.adding(seconds: seconds)))
        }
    }

    /// The changes whose author is known or whose time is over, in the order in which they came.
    package mutating func due(_ now: Timestamp) -> [Change] {
        var told: [Change] = []
        waiting.removeAll { entry in
            var change = entry.change
            change.author = authors.author(of: change.path, on: change.machine, from: change.from, to: change.to)
            guard change.author != nil || entry.until <= now else { return false }
            told.append(change)
            return true
        }
        return told
    }
}
