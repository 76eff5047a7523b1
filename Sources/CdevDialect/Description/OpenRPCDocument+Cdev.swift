import EventModel
package import JSON
package import RPC

extension OpenRPCDocument {
    /// The methods of the WebSocket protocol.
    package init(version: String, methods: RPCMethodTable<CdevHost> = .standard) {
        self.init(
            title: "Claude Code Monitor, JSON-RPC 2.0 over WebSocket at /ws",
            version: version,
            methods: methods.all.map { Method(name: $0.name, description: $0.description, errors: $0.errors) },
            notifications: OpenRPCDocument.notifications,
            schemas: OpenRPCDocument.schemas(of: methods),
            errors: RPCErrorKind.all
        )
    }

    /// All schemas to which methods and notifications refer.
    package static func schemas(of methods: RPCMethodTable<CdevHost>) -> [(SchemaName, String)] {
        JSONSchema.once(JSONSchema.shared + methods.all.flatMap(\.description.definitions))
    }

    private static let notifications: [Notification] =
        [
            Notification("event/*", "An event of the log, 'event/' and its type.", "Event"),
            Notification(
                "event/session_joined",
                "Another client views the session that this one views.",
                "SessionJoined"
            ),
            Notification("event/session_left", "A client views the session no more.", "SessionLeft"),
            Notification(
                "event/session_id_resolved",
                "The session that this client has asked for runs; its id. Not in the log.",
                "SessionIDResolved"
            ),
            Notification(
                "event/session_id_failed",
                "The session that this client has asked for could not be started. Not in the log.",
                "SessionIDFailed"
            ),
            Notification(
                OpenPromptsNotice.method,
                "After the first subscription, if prompts of its sessions are open. Not in the log, so without 'seq'.",
                "OpenPrompts"
            ),
            Notification(
                "heartbeat",
                "Every 30 s, its members beside 'params' too; to cdev's clients bare.",
                "Heartbeat"
            ),
        ] + DerivedNotices.all + WorkspaceNotices.all + LiveNotices.all
}

extension CdevMethod {
    /// The errors that the method may return instead of a result.
    fileprivate var errors: [RPCErrorKind] {
        var kinds = description.errors
        if name != LifecycleMethods.initialize.name { kinds.append(.invalidRequest) }
        if !description.parameters.isEmpty { kinds.append(.invalidParams) }
        if description.needs != .read { kinds.append(.notAllowed) }
        if isDeferred { kinds += [.unavailable, .internalError] }
        return kinds
    }
}
