public import EventModel
internal import JSON

/// Apple's answer to one push.
public struct APNsAnswer: Sendable, Equatable {
    public let status: Int
    /// As Apple wrote it, at most 64 bytes; `nil` with 200, and where the body was missing or unreadable.
    public let reasonText: String?
    /// With 410: when Apple found the device token to be no longer valid.
    public let timestamp: Timestamp?
    public let apnsID: String?
    /// Only from the development environment: the key into Apple's delivery log.
    public let uniqueID: String?
    public let retryAfterSeconds: Int?

    public var reason: APNsReason? { reasonText.flatMap(APNsReason.init(rawValue:)) }

    public init(
        status: Int,
        reason: String? = nil,
        timestamp: Timestamp? = nil,
        apnsID: String? = nil,
        uniqueID: String? = nil,
        retryAfterSeconds: Int? = nil
    ) {
        self.status = status
        reasonText = reason
        self.timestamp = timestamp
        self.apnsID = apnsID
        self.uniqueID = uniqueID
        self.retryAfterSeconds = retryAfterSeconds
    }

    init(_ response: H2Response) {
        let body = response.status == 200 ? nil : try? JSONValue.parse(response.body, maxDepth: 8)
        // Milliseconds; what does not fit into a Timestamp is no point in time.
        let microseconds = body?["timestamp"]?.integer?.multipliedReportingOverflow(by: 1000)
        self.init(
            status: response.status,
            reason: body?["reason"]?.string.flatMap { $0.utf8.count <= 64 ? $0 : nil },
            timestamp: microseconds.flatMap { $0.overflow ? nil : Timestamp(microseconds: $0.partialValue) },
            apnsID: response["apns-id"],
            uniqueID: response["apns-unique-id"],
            retryAfterSeconds: response["retry-after"].flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
        )
    }
}
