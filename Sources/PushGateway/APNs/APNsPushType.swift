/// The type of a notification: the `apns-push-type` header, which must match the payload.
public enum APNsPushType: String, Sendable, CaseIterable {
    case alert
    case background
    case voip
    case complication
    case fileProvider = "fileprovider"
    case location
    case liveActivity = "liveactivity"
    case pushToTalk = "pushtotalk"
    case widgets
    case controls

    /// The `apns-topic` for an app: its bundle id and a suffix that depends on the type.
    public func topic(bundleID: String) -> String { topicSuffix.isEmpty ? bundleID : bundleID + topicSuffix }

    private var topicSuffix: String {
        switch self {
        case .alert, .background: ""
        case .voip: ".voip"
        case .complication: ".complication"
        case .fileProvider: ".pushkit.fileprovider"
        case .location: ".location-query"
        case .liveActivity: ".push-type.liveactivity"
        case .pushToTalk: ".voip-ptt"
        case .widgets: ".push-type.widgets"
        case .controls: ".push-type.controls"
        }
    }

    /// Maximum bytes of the JSON body.
    public var payloadLimit: Int { self == .voip ? 5120 : 4096 }
}

/// The `apns-priority` header. The queue sends higher priorities first.
public enum APNsPriority: Int, Sendable, Comparable, CaseIterable {
    /// The push never wakes the device.
    case low = 1
    /// The push may be grouped, delayed or dropped to save power. It does not count against a Live Activity's budget.
    case considerate = 5
    case immediate = 10

    public static func < (left: APNsPriority, right: APNsPriority) -> Bool { left.rawValue < right.rawValue }
}
