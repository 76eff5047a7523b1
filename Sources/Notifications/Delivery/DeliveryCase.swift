internal import EventModel

/// One notice and one device at the time when the notice is due: all that the rules look at.
struct DeliveryCase: Sendable {
    var notice: Notification
    var preferences: ResolvedPreferences
    var device: DeviceSituation
    var presence = PresenceReport.unknown
    var recent = RecentDeliveries()
    /// By the server's clock.
    var now: Timestamp
}

struct DeviceSituation: Sendable, Equatable {
    var id: DeviceID
    /// Seconds that the device's time zone is ahead of UTC now.
    var utcOffset = 0
}

/// What the device was sent and is about to be sent.
struct RecentDeliveries: Sendable, Equatable {
    var budget = DeliveryBudget()
    /// Set: the notice was withdrawn.
    var withdrawn: WithdrawalReason?
    /// When a notice with this one's collapse id was last sent to the device.
    var sameCollapseSentAt: Timestamp?
    /// The kind of a notice with this one's collapse id and a higher `seq` that was sent to the device.
    var newerSent: NotificationKind?
    /// When the next such notice that waits is due; notices of kind `resolved` left aside.
    var newerDueAt: Timestamp?
    /// When any notice of the session was last sent to the device.
    var sessionSentAt: Timestamp?
    /// For `resolved`: whether a notice that it replaces was sent to the device.
    var promptWasSent = true
    /// The service is not to be used before.
    var breakerUntil: Timestamp?
}
