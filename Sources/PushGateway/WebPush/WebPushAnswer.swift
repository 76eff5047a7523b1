internal import JSON

/// A push service's answer to one push.
public struct WebPushAnswer: Sendable, Equatable {
    public let status: Int
    /// What the service wrote about a refusal, at most 200 bytes of it: a JSON `reason`, `message` or `error`, else
    /// the beginning of the text. Foreign text, without control characters.
    public let reasonText: String?
    /// The URL of the message, with 201.
    public let location: String?
    public let retryAfterSeconds: Int?

    public init(status: Int, reason: String? = nil, location: String? = nil, retryAfterSeconds: Int? = nil) {
        self.status = status
        reasonText = reason
        self.location = location
        self.retryAfterSeconds = retryAfterSeconds
    }

    init(_ response: H2Response) {
        self.init(
            status: response.status,
            reason: (200..<300).contains(response.status) ? nil : WebPushAnswer.reason(response.body),
            location: response["location"].flatMap { $0.utf8.count <= WebPushEndpoint.lengthLimit ? $0 : nil },
            // A date, the other form that HTTP allows, counts as none: the wait for the status then holds.
            retryAfterSeconds: response["retry-after"].flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
        )
    }

    private static func reason(_ body: [UInt8]) -> String? {
        var text = String(decoding: body.prefix(200), as: UTF8.self)
        if let value = try? JSONValue.parse(body, maxDepth: 8), value.isObject {
            let members = [value["reason"], value["message"], value["error"], value["error"]?["message"]]
            guard let named = members.compactMap({ $0?.string }).first else { return nil }
            text = String(decoding: named.utf8.prefix(200), as: UTF8.self)
        }
        let visible = String(
            text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }.map(Character.init)
        )
        return visible.isEmpty ? nil : visible
    }
}
