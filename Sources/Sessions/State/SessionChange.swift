package import EventModel
package import JSON

/// What a person changes about a session. The server adds it to the log as an event, which machines cannot post.
package struct SessionChange: Sendable, Equatable {
    /// An empty title removes the one that a person gave.
    package var title: String?
    package var isPinned: Bool?
    /// The next prompt brings an archived session back.
    package var isArchived: Bool?

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
    }

    /// Adds the members of the event's payload.
    package func write(to writer: inout JSONWriter) {
        if let title { writer.textOrNull("title", title.isEmpty ? nil : title) }
        if let isPinned { writer.field("pinned", isPinned) }
        if let isArchived { writer.field("archived", isArchived) }
    }

    /// The event's text, such as `renamed, archived`.
    package var summary: String {
        let title = title.map { $0.isEmpty ? "name removed" : "renamed" }
        let pin = isPinned.map { $0 ? "pinned" : "unpinned" }
        let archive = isArchived.map { $0 ? "archived" : "taken out of the archive" }
        return [title, pin, archive].compactMap { $0 }.joined(separator: ", ")
    }
}

extension SessionState {
    mutating func apply(_ change: SessionChange, at order: EventOrder) {
        if let title = change.title { self.title.person.set(title, at: order) }
        if let isPinned = change.isPinned { self.isPinned.set(isPinned, at: order) }
        if let isArchived = change.isArchived { self.isArchived.set(isArchived, at: order) }
    }
}
