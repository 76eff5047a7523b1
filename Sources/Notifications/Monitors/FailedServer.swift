package import EventModel

/// An MCP server of a machine that has answered before and fails now.
package struct FailedServer: Noticed, Equatable {
    package var id: String
    package var name: String
    package var machineName: String
    package var reason: String?
    package var failedAt: Timestamp

    package init(id: String, name: String, machineName: String, reason: String?, failedAt: Timestamp) {
        (self.id, self.name, self.machineName) = (id, name, machineName)
        (self.reason, self.failedAt) = (reason, failedAt)
    }

    /// The notice that the server fails. Its key stays the same until the server has answered again.
    package func notice(at now: Timestamp) -> MatterNotice? {
        let end = failedAt.adding(seconds: NotificationKind.serverFailed.lifetimeSeconds)
        guard now < end else { return nil }
        let name = "\(NotificationNames.letter(.serverFailed)):\(NotificationNames.hash(id))"
        return MatterNotice(
            notification: Notification(
                key: "\(name):\(failedAt.microseconds / 1000)",
                kind: .serverFailed,
                place: NotificationPlace(machineName: machineName),
                seq: 0,
                raisedAt: now,
                notBefore: now,
                expiresAt: end,
                collapseID: name,
                details: NotificationDetails(toolName: self.name, summary: reason.map { String($0.prefix(200)) })
            )
        )
    }
}
