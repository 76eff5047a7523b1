internal import HTTPClient

/// The header fields of a push for Apple, prepared for HPACK.
enum APNsHeaders {
    static func write(_ request: APNsRequest, authority: String, token: String, to headers: inout H2HeaderBlock) {
        headers.append(":method", "POST")
        headers.append(":scheme", "https")
        headers.append(":path", prefix: "/3/device/", request.deviceToken)
        headers.append(":authority", authority)
        headers.append("authorization", prefix: "bearer ", token)
        headers.append("apns-topic", request.topic)
        headers.append("apns-push-type", request.pushType.rawValue)
        headers.append("apns-priority", String(request.priority.rawValue))
        headers.append("apns-id", request.id.text, indexing: .once)
        if let expiration = text(of: request.expiration) {
            headers.append("apns-expiration", expiration, indexing: .once)
        }
        if let collapseID = request.collapseID {
            headers.append("apns-collapse-id", collapseID, indexing: .once)
        }
    }

    private static func text(of expiration: APNsExpiration) -> String? {
        switch expiration {
        case .unspecified: nil
        case .none: "0"
        case .at(let seconds): String(seconds)
        }
    }
}
