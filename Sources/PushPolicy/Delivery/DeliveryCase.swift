public import EventModel

/// One notice and one device at the time when the notice is due: all that the rules look at.
public struct DeliveryCase: Sendable {
    public var notice: PushNotice
    public var preferences: ResolvedPreferences
    public var device: DeviceSituation
    public var presence: PresenceReport
    public var recent: RecentDeliveries
    /// By the server's clock.
    public var now: Timestamp

    public init(
        notice: PushNotice,
        preferences: ResolvedPreferences,
        device: DeviceSituation,
        presence: PresenceReport = .unknown,
        recent: RecentDeliveries = RecentDeliveries(),
        now: Timestamp
    ) {
        self.notice = notice
        self.preferences = preferences
        self.device = device
        self.presence = presence
        self.recent = recent
        self.now = now
    }
}

public struct DeviceSituation: Sendable, Equatable {
    public var id: DeviceID
    /// Seconds that the device's time zone is ahead of UTC now.
    public var utcOffset: Int

    public init(id: DeviceID, utcOffset: Int = 0) {
        self.id = id
        self.utcOffset = utcOffset
    }
}

/// Who has the app open.
public enum PresenceReport: Sendable, Equatable {
    /// Nothing is known: nobody is taken to be there.
    case unknown
    case viewers([Viewer])
}

public struct Viewer: Sendable, Equatable {
    /// `nil`: a client that is no paired device.
    public var device: DeviceID?
    /// The session that it shows; `nil`: another page of the app.
    public var sessionID: String?
    public var isVisible: Bool
    public var lastInteractionAt: Timestamp

    public init(device: DeviceID?, sessionID: String?, isVisible: Bool = true, lastInteractionAt: Timestamp) {
        self.device = device
        self.sessionID = sessionID
        self.isVisible = isVisible
        self.lastInteractionAt = lastInteractionAt
    }
}

/// What the device was sent and is about to be sent.
public struct RecentDeliveries: Sendable, Equatable {
    public var budget: DeliveryBudget
    /// Set: the notice was withdrawn.
    public var withdrawn: WithdrawalReason?
    /// When a notice with this one's collapse id was last sent to the device.
    public var sameCollapseSentAt: Timestamp?
    /// The kind of a notice with this one's collapse id and a higher `seq` that was sent to the device.
    public var newerSent: NoticeKind?
    /// When the next such notice that waits is due; notices of kind `resolved` left aside.
    public var newerDueAt: Timestamp?
    /// When any notice of the session was last sent to the device.
    public var sessionSentAt: Timestamp?
    /// For `resolved`: whether a notice that it replaces was sent to the device.
    public var promptWasSent: Bool
    /// The service is not to be used before.
    public var breakerUntil: Timestamp?

    public init(
        budget: DeliveryBudget = DeliveryBudget(),
        withdrawn: WithdrawalReason? = nil,
        sameCollapseSentAt: Timestamp? = nil,
        newerSent: NoticeKind? = nil,
        newerDueAt: Timestamp? = nil,
        sessionSentAt: Timestamp? = nil,
        promptWasSent: Bool = true,
        breakerUntil: Timestamp? = nil
    ) {
        self.budget = budget
        self.withdrawn = withdrawn
        self.sameCollapseSentAt = sameCollapseSentAt
        self.newerSent = newerSent
        self.newerDueAt = newerDueAt
        self.sessionSentAt = sessionSentAt
        self.promptWasSent = promptWasSent
        self.breakerUntil = breakerUntil
    }
}
