internal import EventModel
internal import HTTPModel
internal import JSON
internal import Signing

/// The registration of a push address by a device. Ignores unknown members.
struct PushTokenBody {
    private static let maximumToken = 1024
    private static let maximumEndpoint = 2048
    private static let maximumText = 128

    private let json: JSONValue

    init(_ json: JSONValue) {
        self.json = json
    }

    func token() throws(APIError) -> NewPushToken {
        let names = NewPushToken.Kind.allCases.map(\.rawValue).joined(separator: ", ")
        let sent = json["kind"] ?? .null
        guard let kind = NewPushToken.Kind(rawValue: sent == .null ? "alert" : sent.string ?? "") else {
            throw PushTokenBody.invalid("kind", "must be one of \(names)")
        }
        let text = try kind == .webPush ? endpoint() : deviceToken()
        var token = NewPushToken(kind: kind, token: text, sha256: Digest.sha256(Array(text.utf8)))
        if kind == .webPush {
            token.keys = try browserKeys()
        } else {
            token.environment = try environment()
            token.topic = try self.text("topic", atMost: 255)
        }
        if kind == .activityUpdate {
            guard let session = try self.text("session_id", atMost: 256) else {
                throw PushTokenBody.invalid("session_id", "must name the session that the Live Activity shows")
            }
            token.sessionID = session
        }
        token.encryptionKey = try encryptionKey()
        token.locale = try self.text("locale", atMost: PushTokenBody.maximumText)
        token.timeZone = try self.text("time_zone", atMost: PushTokenBody.maximumText)
        token.appVersion = try self.text("app_version", atMost: PushTokenBody.maximumText)
        token.allowsFrequentUpdates = try flag("frequent_updates")
        return token
    }

    private func deviceToken() throws(APIError) -> String {
        let token = json["token"]?.string?.lowercased() ?? ""
        let digits = Set("0123456789abcdef".utf8)
        guard !token.isEmpty, token.utf8.count % 2 == 0, token.utf8.count <= PushTokenBody.maximumToken,
            token.utf8.allSatisfy(digits.contains)
        else { throw PushTokenBody.invalid("token", "must be the device token in hexadecimal") }
        return token
    }

    private func endpoint() throws(APIError) -> String {
        let endpoint = json["endpoint"]?.string ?? ""
        guard endpoint.hasPrefix("https://"), endpoint.utf8.count <= PushTokenBody.maximumEndpoint,
            endpoint.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw PushTokenBody.invalid("endpoint", "must be the subscription's https URL") }
        return endpoint
    }

    private func browserKeys() throws(APIError) -> NewPushToken.BrowserKeys {
        guard let keys = json["keys"], let p256dh = keys["p256dh"]?.string, let auth = keys["auth"]?.string,
            p256dh.utf8.count <= 256, auth.utf8.count <= 128, !p256dh.isEmpty, !auth.isEmpty
        else { throw PushTokenBody.invalid("keys", "must be the subscription's p256dh and auth") }
        return NewPushToken.BrowserKeys(p256dh: p256dh, auth: auth)
    }

    private func environment() throws(APIError) -> NewPushToken.Environment {
        let word = json["environment"]?.string ?? ""
        guard let environment = NewPushToken.Environment(rawValue: word == "sandbox" ? "development" : word) else {
            throw PushTokenBody.invalid("environment", "must be production or development: only the app knows")
        }
        return environment
    }

    private func encryptionKey() throws(APIError) -> [UInt8]? {
        guard let value = json["encryption_key"], value != .null else { return nil }
        guard let key = value.string.flatMap(Base64.decode), key.count == 32 else {
            throw PushTokenBody.invalid("encryption_key", "must be 32 bytes in base64")
        }
        return key
    }

    private func flag(_ name: String) throws(APIError) -> Bool {
        guard let value = json[name], value != .null else { return false }
        guard let flag = value.bool else { throw PushTokenBody.invalid(name, "must be true or false") }
        return flag
    }

    /// Returns `nil` if the member is absent, null or empty.
    private func text(_ name: String, atMost length: Int) throws(APIError) -> String? {
        guard let value = json[name], value != .null else { return nil }
        guard let text = value.string, text.utf8.count <= length, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw PushTokenBody.invalid(name, "must be at most \(length) characters of ASCII without spaces") }
        return text.isEmpty ? nil : text
    }

    private static func invalid(_ name: String, _ problem: String) -> APIError {
        .invalid("invalid_parameter", "'\(name)' \(problem).", param: name)
    }
}
