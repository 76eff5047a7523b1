internal import EventModel
internal import Signing

/// The push address of a device, as the device reports it.
package struct NewPushToken: Sendable, Equatable {
    enum Kind: String, Sendable, CaseIterable {
        /// Notifications by APNs.
        case alert
        /// Starts Live Activities.
        case activityStart = "activity_start"
        /// Updates one Live Activity.
        case activityUpdate = "activity_update"
        /// A browser's subscription.
        case webPush = "webpush"
    }

    package enum Environment: String, Sendable, CaseIterable {
        case production
        case development
    }

    /// The keys that encrypt messages to a browser (RFC 8291), base64url.
    struct BrowserKeys: Sendable, Equatable {
        var p256dh: String
        var auth: String
    }

    var kind: Kind
    /// Hexadecimal for APNs, the endpoint's URL for a browser.
    var token: String
    /// SHA-256 of `token`, 32 bytes.
    var sha256: [UInt8]
    /// `nil` for a browser.
    var environment: Environment?
    /// The app's bundle id; `nil` means the configured one.
    var topic: String?
    /// For a browser only.
    var keys: BrowserKeys?
    /// The session that a Live Activity shows.
    var sessionID: String?
    /// AES-256 key, 32 bytes, generated on the device. It encrypts contents.
    var encryptionKey: [UInt8]?
    /// BCP 47.
    var locale: String?
    /// IANA name.
    var timeZone: String?
    var appVersion: String?
    var allowsFrequentUpdates = false
}

/// A registered token.
struct PushTokenRecord: Sendable, Equatable {
    enum State: String, Sendable, CaseIterable {
        case active
        /// Not used until it is registered again.
        case quarantined
        /// The push service has reported it as gone.
        case gone
    }

    var id: Int64
    var device: DeviceID
    var content: NewPushToken
    /// When the app last reported it.
    var registeredAt: Timestamp
    /// When a push to it was last accepted.
    var lastOkAt: Timestamp?
    /// Refusals since `lastOkAt`.
    var failures: Int64
    var state: State
    /// The push service's reason.
    var stateReason: String?
}

extension PushTokenRecord {
    /// Identifies a token in logs and answers without revealing it: 8 hexadecimal digits.
    var fingerprint: String { Hex.encode(content.sha256.prefix(4)) }
}
