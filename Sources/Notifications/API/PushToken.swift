internal import EventModel

/// Where pushes for a device go, as the device says it.
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

    /// What messages to a browser are encrypted with (RFC 8291), base64url.
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
    /// The app's bundle id; `nil`: the configured one.
    var topic: String?
    /// Of a browser only.
    var keys: BrowserKeys?
    /// The session that a Live Activity shows.
    var sessionID: String?
    /// AES-256 key, 32 bytes, made on the device: contents are sealed with it.
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
        /// The push service says so.
        case gone
    }

    var id: Int64
    var device: DeviceID
    var content: NewPushToken
    /// When the app last reported it.
    var registeredAt: Timestamp
    /// When a push to it was last accepted.
    var lastOkAt: Timestamp?
    /// Refusals since then.
    var failures: Int64
    var state: State
    /// What the push service said.
    var stateReason: String?
}

extension PushTokenRecord {
    /// Tells tokens apart in logs and answers without giving them away: 8 hexadecimal digits.
    var fingerprint: String {
        let digits = Array("0123456789abcdef".utf8)
        let text = content.sha256.prefix(4).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }
}
