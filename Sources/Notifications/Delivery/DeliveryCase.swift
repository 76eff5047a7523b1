internal import EventModel

/// The input of the rules: one notice and one device, at the time when the notice is due.
struct DeliveryCase: Sendable {
    var notice: Notification
    var preferences: ResolvedPreferences
    var device: DeviceSituation
    var presence = PresenceReport.unknown
    var recent = RecentDeliveries()
    /// On the server's clock.
    var now: Timestamp
}

struct DeviceSituation: Sendable, Equatable {
    var id: DeviceID
    /// The device's current offset from UTC, in seconds.
    var utcOffset = 0
}

/// Sent and pending pushes of the device.
struct RecentDeliveries: Sendable, Equatable {
    var budget = DeliveryBudget()
    /// Set if the notice was withdrawn.
    var withdrawn: WithdrawalReason?
    /// When a notice with the same collapse id was last sent to the device.
    var sameCollapseSentAt: Timestamp?
    /// The kind of a notice with the same collapse id and a higher `seq` that was sent to the device.
    var newerSent: NotificationKind?
    /// When the next waiting notice of that sort is due, except for notices of kind `resolved`.
    var newerDueAt: Timestamp?
    /// Number of prompts for permission of the notice's machine that were sent to the device within an hour.
    var permissionsOfMachine = 0
    /// When any notice of the session was last sent to the device.
    var sessionSentAt: Timestamp?
    /// For `resolved`: whether one of the notices that it replaces was sent to the device.
    var promptWasSent = true
    /// The service must not be used before this time.
    var breakerUntil: Timestamp?
}
