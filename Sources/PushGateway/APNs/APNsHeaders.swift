/// The header fields of a push, as Apple and HPACK want them.
enum APNsHeaders {
    /// Whose values differ from push to push. They are indexed once on a connection, to bring their names into
    /// HPACK's table; further values would only drive useful entries out of it.
    private static let changing: Set<String> = ["apns-id", "apns-expiration", "apns-collapse-id"]

    /// - Parameter seen: names of changing fields that the connection has sent already.
    static func fields(
        for request: APNsRequest,
        authority: String,
        token: String,
        seen: inout Set<String>
    ) -> [H2Header] {
        var fields = [
            H2Header(name: ":method", value: "POST"),
            H2Header(name: ":scheme", value: "https"),
            H2Header(name: ":path", value: "/3/device/\(request.deviceToken)"),
            H2Header(name: ":authority", value: authority),
            H2Header(name: "authorization", value: "bearer \(token)"),
            H2Header(name: "apns-topic", value: request.topic),
            H2Header(name: "apns-push-type", value: request.pushType.rawValue),
            H2Header(name: "apns-priority", value: String(request.priority.rawValue)),
            H2Header(name: "apns-id", value: request.id.text),
        ]
        switch request.expiration {
        case .unspecified: break
        case .none: fields.append(H2Header(name: "apns-expiration", value: "0"))
        case .at(let seconds): fields.append(H2Header(name: "apns-expiration", value: String(seconds)))
        }
        if let collapseID = request.collapseID {
            fields.append(H2Header(name: "apns-collapse-id", value: collapseID))
        }
        for index in fields.indices where changing.contains(fields[index].name) {
            fields[index].isIndexed = seen.insert(fields[index].name).inserted
        }
        return fields
    }
}
