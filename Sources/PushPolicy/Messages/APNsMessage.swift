public import EventModel

/// A push as Apple is to get it, but for the device token and the bundle id: the fields of PushGateway's request.
public struct APNsMessage: Sendable, Equatable {
    /// The `apns-push-type`, which also gives the topic its suffix.
    public enum PushType: String, Sendable {
        case alert
        case background
        case liveActivity = "liveactivity"
    }

    /// Bytes of the body that Apple takes.
    public static let payloadLimit = 4096

    public var pushType: PushType
    /// 5 or 10.
    public var priority: Int
    /// The `apns-expiration`, seconds since 1970.
    public var expiration: Int64
    public var collapseID: String?
    /// JSON with an `aps` object.
    public var payload: [UInt8]
}

extension APNsMessage {
    /// Shows nothing, and wakes the app where it suits the device.
    public static func canary(collapseID: String, expiresAt: Timestamp) -> APNsMessage {
        APNsMessage(
            pushType: .background,
            priority: 5,
            expiration: expiresAt.wholeSeconds,
            collapseID: collapseID,
            payload: Array(#"{"aps":{"content-available":1},"monitor":{"v":1,"kind":"canary"}}"#.utf8)
        )
    }
}

extension Timestamp {
    /// Rounded down; at least 1, as 0 has a meaning of its own.
    var wholeSeconds: Int64 { max(1, microseconds / 1_000_000) }
}
