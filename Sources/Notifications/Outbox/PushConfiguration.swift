package import PushGateway

/// The validated push settings.
package struct PushConfiguration: Sendable {
    package struct APNs: Sendable {
        package var key: ProviderKey
        /// The bundle id of the app.
        package var topic: String
        /// `nil` selects Apple's host according to the device's environment.
        package var host: String?
        package var port: UInt16
        package var caFile: String?
        /// `nil` disables the probe.
        package var probe: DeliveryProbe.Settings?

        package init(key: ProviderKey, topic: String, port: UInt16) {
            self.key = key
            self.topic = topic
            self.port = port
        }
    }

    package struct WebPush: Sendable {
        package var subject: VAPIDSubject
        package var caFile: String?
        package var rules = WebPushRules()

        package init(subject: VAPIDSubject) { self.subject = subject }
    }

    /// `nil` disables APNs.
    package var apns: APNs?
    package var webPush: WebPush?

    package var isOn: Bool { apns != nil || webPush != nil }

    package init(apns: APNs?, webPush: WebPush?) {
        self.apns = apns
        self.webPush = webPush
    }
}

extension PushConfiguration: CustomStringConvertible {
    /// Text for people.
    package var description: String {
        let ways = [apns.map { "to \($0.topic) through \($0.host ?? "Apple")" }, webPush.map { _ in "to browsers" }]
        let named = ways.compactMap(\.self)
        return named.isEmpty ? "off: neither APNS_KEY_FILE nor WEBPUSH_SUBJECT is set" : named.joined(separator: ", ")
    }
}
