package import EventModel

/// A machine whose agent went away while its sessions worked.
package struct AwayMachine: Noticed, Equatable {
    package var name: String
    package var since: Timestamp
    /// How many of its sessions worked.
    package var sessions: Int

    package init(name: String, since: Timestamp, sessions: Int) {
        (self.name, self.since, self.sessions) = (name, since, sessions)
    }

    /// The notice of one absence has one key.
    package func notice(at now: Timestamp) -> MatterNotice? {
        let end = since.adding(seconds: NotificationKind.machineOffline.lifetimeSeconds)
        guard now < end else { return nil }
        let collapseID = "\(NotificationNames.letter(.machineOffline)):\(NotificationNames.hash(name))"
        var details = NotificationDetails()
        details.sessions = sessions
        return MatterNotice(
            notification: Notification(
                key: "\(collapseID):\(since.microseconds / 1000)",
                kind: .machineOffline,
                place: NotificationPlace(machineName: name),
                seq: 0,
                raisedAt: now,
                notBefore: now,
                expiresAt: end,
                collapseID: collapseID,
                details: details
            )
        )
    }
}
