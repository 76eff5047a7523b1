internal import Signing

/// A browser's push address and encryption keys: its `PushSubscription` in JSON. The endpoint is a capability, and
/// the whole subscription is a secret. https://www.w3.org/TR/push-api/
public struct WebPushSubscription: Sendable, Equatable {
    /// The URL, exactly as the browser provided it.
    public let endpoint: String
    let parts: WebPushEndpoint
    let publicKey: ES256PublicKey
    let secret: [UInt8]

    /// - Parameters:
    ///   - p256dh: the browser's public key, 65 bytes in base64url.
    ///   - auth: the shared secret, 16 bytes in base64url.
    public init(
        endpoint: String,
        p256dh: String,
        auth: String,
        rules: WebPushRules = WebPushRules()
    ) throws(WebPushSubscriptionFault) {
        guard let parts = WebPushEndpoint(endpoint) else { throw .endpoint }
        guard rules.ports.contains(where: { $0.contains(parts.origin.port) }) else { throw .port }
        guard let point = Base64URL.decode(p256dh), let publicKey = try? ES256PublicKey(point: point) else {
            throw .p256dh
        }
        guard let secret = Base64URL.decode(auth), secret.count == 16 else { throw .auth }
        self.endpoint = endpoint
        self.parts = parts
        self.publicKey = publicKey
        self.secret = secret
    }

    /// The push service.
    public var origin: PushOrigin { parts.origin }

    public static func == (left: WebPushSubscription, right: WebPushSubscription) -> Bool {
        left.endpoint == right.endpoint && left.publicKey.point == right.publicKey.point && left.secret == right.secret
    }
}

/// Why a subscription is invalid; the browser must create another. Safe to print.
public enum WebPushSubscriptionFault: Error, Sendable, Equatable, CustomStringConvertible {
    case endpoint
    case port
    case p256dh
    case auth

    public var description: String {
        switch self {
        case .endpoint: "the endpoint is not an https URL of at most \(WebPushEndpoint.lengthLimit) bytes"
        case .port: "the endpoint's port is not allowed"
        case .p256dh: "p256dh is not a public key on P-256, 65 bytes in base64url"
        case .auth: "auth is not 16 bytes in base64url"
        }
    }
}

extension WebPushSubscription: CustomStringConvertible {
    /// Omits the secret part of the endpoint.
    public var description: String { "subscription at \(origin)" }
}
