/// Where pushes for a device go, as the device says it.
public struct NewPushToken: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable {
        /// Notifications by APNs.
        case alert
        /// Starts Live Activities.
        case activityStart = "activity_start"
        /// Updates one Live Activity.
        case activityUpdate = "activity_update"
        /// A browser's subscription.
        case webPush = "webpush"
    }

    public enum Environment: String, Sendable, CaseIterable {
        case production
        case development
    }

    /// What messages to a browser are encrypted with (RFC 8291), base64url.
    public struct BrowserKeys: Sendable, Equatable {
        public var p256dh: String
        public var auth: String

        public init(p256dh: String, auth: String) {
            self.p256dh = p256dh
            self.auth = auth
        }
    }

    public var kind: Kind
    /// Hexadecimal for APNs, the endpoint's URL for a browser.
    public var token: String
    /// SHA-256 of `token`, 32 bytes.
    public var sha256: [UInt8]
    /// `nil` for a browser.
    public var environment: Environment?
    /// The app's bundle id; `nil`: the configured one.
    public var topic: String?
    /// Of a browser only.
    public var keys: BrowserKeys?
    /// The session that a Live Activity shows.
    public var sessionID: String?
    /// AES-256 key, 32 bytes, made on the device: contents are sealed with it.
    public var encryptionKey: [UInt8]?
    /// BCP 47.
    public var locale: String?
    /// IANA name.
    public var timeZone: String?
    public var appVersion: String?
    public var allowsFrequentUpdates = false

    public init(kind: Kind, token: String, sha256: [UInt8]) {
        self.kind = kind
        self.token = token
        self.sha256 = sha256
    }
}

/// A registered token.
public struct PushTokenRecord: Sendable, Equatable {
    public enum State: String, Sendable, CaseIterable {
        case active
        /// Not used until it is registered again.
        case quarantined
        /// The push service says so.
        case gone
    }

    public var id: Int64
    public var device: DeviceID
    public var content: NewPushToken
    /// When the app last reported it.
    public var registeredAt: Timestamp
    /// When a push to it was last accepted.
    public var lastOkAt: Timestamp?
    /// Refusals since then.
    public var failures: Int64
    public var state: State
    /// What the push service said.
    public var stateReason: String?

    public init(
        id: Int64,
        device: DeviceID,
        content: NewPushToken,
        registeredAt: Timestamp,
        lastOkAt: Timestamp?,
        failures: Int64,
        state: State,
        stateReason: String?
    ) {
        self.id = id
        self.device = device
        self.content = content
        self.registeredAt = registeredAt
        self.lastOkAt = lastOkAt
        self.failures = failures
        self.state = state
        self.stateReason = stateReason
    }
}

extension PushTokenRecord {
    /// Tells tokens apart in logs and answers without giving them away: 8 hexadecimal digits.
    public var fingerprint: String {
        let digits = Array("0123456789abcdef".utf8)
        let text = content.sha256.prefix(4).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }
}
