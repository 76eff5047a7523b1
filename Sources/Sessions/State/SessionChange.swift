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
    /// The model that it was started with or switched to, as it was named. The next request names it exactly.
    package var model: String?
    /// The session that this one goes on after `/clear`.
    package var continues: String?
    /// The session that goes on in its place.
    package var continuedBy: String?
    /// The agent says why the session has ended.
    package var endReason: String?
    /// Whether the agent has ended the process to save memory, and starts it again for the next message.
    package var isParked: Bool?

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
        model = payload["model"]?.string
        continues = payload["continues"]?.string
        continuedBy = payload["continued_by"]?.string
        endReason = payload["end_reason"]?.string
        isParked = payload["parked"]?.bool
    }

    /// Adds the members of the event's payload.
    package func write(to writer: inout JSONWriter) {
        if let title { writer.textOrNull("title", title.isEmpty ? nil : title) }
        if let isPinned { writer.field("pinned", isPinned) }
        if let isArchived { writer.field("archived", isArchived) }
        writer.field("runner", runner?.rawValue)
        writer.field("permission_mode", permissionMode)
        writer.field("model", model)
        writer.field("continues", continues)
        writer.field("continued_by", continuedBy)
        writer.field("end_reason", endReason)
        writer.field("parked", isParked)
    }

    /// The event's text, such as `renamed, archived`.
    package var summary: String {
        let title = title.map { $0.isEmpty ? "name removed" : "renamed" }
        let pin = isPinned.map { $0 ? "pinned" : "unpinned" }
        let archive = isArchived.map { $0 ? "archived" : "taken out of the archive" }
        let mode = runner == nil ? permissionMode.map { "mode \($0)" } : nil
        let model = runner == nil ? model.map { "model \($0)" } : nil
        let start = runner.map { _ in continues == nil ? "started" : "begun by /clear" }
        let end = continuedBy.map { _ in "continued after /clear" } ?? endReason.map { "ended: \($0)" }
        let parking = endReason == nil ? isParked.map { $0 ? "parked" : "woken" } : nil
        return [start, mode, model, title, pin, archive, parking, end].compactMap { $0 }.joined(separator: ", ")
    }
}

extension SessionState {
    mutating func apply(_ change: SessionChange, of event: MonitorEvent, at order: EventOrder) {
        if let runner = change.runner { begin(runner, event, at: order) }
        if let mode = change.permissionMode { permissionMode.set(mode, at: order) }
        if let model = change.model { self.model.set(model, at: order) }
        if let title = change.title { self.title.person.set(title, at: order) }
        if let isPinned = change.isPinned { self.isPinned.set(isPinned, at: order) }
        if let isArchived = change.isArchived { self.isArchived.set(isArchived, at: order) }
        if let continues = change.continues { self.continues.set(continues, at: order) }
        if let continuedBy = change.continuedBy { self.continuedBy.set(continuedBy, at: order) }
        if let isParked = change.isParked { self.isParked.set(isParked, at: order) }
        if let reason = change.endReason { end.set(reason, at: order) }
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
