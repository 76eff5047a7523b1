package import EventModel
package import JSON

/// What a person changes about a session, or that a person has begun it. The server adds it to the log as an event,
/// which machines cannot post.
package struct SessionChange: Sendable, Equatable {
    /// An empty title removes the one that a person gave.
    package var title: String?
    package var isPinned: Bool?
    /// The next prompt brings an archived session back.
    package var isArchived: Bool?
    /// The machine's agent has started a process for the session.
    package var runner: Session.Runner?
    /// The mode in which it was started, or to which a person has switched it.
    package var permissionMode: String?

    package init() {}

    package var isEmpty: Bool { self == SessionChange() }

    /// Whether the session differs from what the person wants.
    package func changes(_ session: Session) -> Bool {
        let name = session.titleSource == .person ? session.title ?? "" : ""
        return title.map { $0 != name } ?? false
            || isPinned.map { $0 != session.isPinned } ?? false
            || isArchived.map { $0 != session.isArchived } ?? false
    }

    /// Returns `nil` for other events.
    package init?(_ event: MonitorEvent) {
        guard event.type == .sessionChanged, event.hookEventName == nil,
            let payload = try? JSONValue.parse(event.payload)
        else { return nil }
        if let title = payload["title"] { self.title = title.string ?? "" }
        isPinned = payload["pinned"]?.bool
        isArchived = payload["archived"]?.bool
        runner = payload["runner"]?.string.flatMap(Session.Runner.init(rawValue:))
        permissionMode = payload["permission_mode"]?.string
    }

    /// Adds the members of the event's payload.
    package func write(to writer: inout JSONWriter) {
        if let title { writer.textOrNull("title", title.isEmpty ? nil : title) }
        if let isPinned { writer.field("pinned", isPinned) }
        if let isArchived { writer.field("archived", isArchived) }
        writer.field("runner", runner?.rawValue)
        writer.field("permission_mode", permissionMode)
    }

    /// The event's text, such as `renamed, archived`.
    package var summary: String {
        let title = title.map { $0.isEmpty ? "name removed" : "renamed" }
        let pin = isPinned.map { $0 ? "pinned" : "unpinned" }
        let archive = isArchived.map { $0 ? "archived" : "taken out of the archive" }
        let mode = runner == nil ? permissionMode.map { "mode \($0)" } : nil
        return [runner.map { _ in "started" }, mode, title, pin, archive].compactMap { $0 }.joined(separator: ", ")
    }
}

extension SessionState {
    mutating func apply(_ change: SessionChange, of event: MonitorEvent, at order: EventOrder) {
        if let runner = change.runner { begin(runner, event, at: order) }
        if let mode = change.permissionMode { permissionMode.set(mode, at: order) }
        if let title = change.title { self.title.person.set(title, at: order) }
        if let isPinned = change.isPinned { self.isPinned.set(isPinned, at: order) }
        if let isArchived = change.isArchived { self.isArchived.set(isArchived, at: order) }
    }

    /// The session exists from now on, before its first hook.
    private mutating func begin(
        _ runner: Session.Runner,
        _ event: MonitorEvent,
        at order: EventOrder
    ) {
        self.runner.set(runner, at: order)
        machine.set(
            Machine(id: event.machine, name: event.machineName, reportedName: event.reportedMachineName),
            at: order
        )
        if let path = event.projectPath { project.setFirst(path, at: event.order) }
        startedAt = min(startedAt ?? order.time, order.time)
        lastActivityAt = max(lastActivityAt ?? event.activityTime, event.activityTime)
        alive.set(true, at: order)
        activity.set(.idle, from: .hooks, at: order)
    }
}
