/// A value of an attribute (`AnyValue` of opentelemetry-proto, common.proto).
package enum OTLPValue: Equatable, Sendable {
    case string(String)
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    /// An array, key-value list or byte string. Its value is not kept, because none of the records needs it.
    case other

    /// Claude Code sends many numbers as strings.
    package var integerValue: Int64? {
        switch self {
        case .integer(let value): value
        case .double(let value): Int64(exactly: value.rounded())
        case .string(let text): Int64(text)
        default: nil
        }
    }

    package var doubleValue: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        case .string(let text): Double(text)
        default: nil
        }
    }

    package var text: String? {
        guard case .string(let text) = self, !text.isEmpty else { return nil }
        return text
    }
}

package struct OTLPAttribute: Equatable, Sendable {
    package var key: String
    package var value: OTLPValue
}

extension [OTLPAttribute] {
    /// The first attribute with this name.
    package subscript(key: String) -> OTLPValue? { first { $0.key == key }?.value }
}

/// A log record.
package struct OTLPLogRecord: Equatable, Sendable {
    /// Nanoseconds since 1970, or 0 if the sender states no time.
    package var timeUnixNano: UInt64 = 0
    package var body: String?
    package var attributes: [OTLPAttribute] = []
    /// The version of the program that sent the record.
    package var clientVersion: String?

    /// Adds what a sender states elsewhere: the name of the event in the record itself (OTLP 1.5), the session in the
    /// resource.
    mutating func complete(eventName: String?, _ resource: OTLPResource) {
        clientVersion = resource.version
        if let eventName, !eventName.isEmpty, attributes["event.name"]?.text == nil {
            attributes.append(OTLPAttribute(key: "event.name", value: .string(eventName)))
        }
        resource.addSession(to: &attributes)
    }
}

/// The attributes of a resource that its records and data points need.
struct OTLPResource {
    var version: String?
    var session: String?

    init() {}

    mutating func read(_ key: String, _ text: String?) {
        switch key {
        case "service.version": version = text
        case "session.id": session = text
        default: break
        }
    }

    func addSession(to attributes: inout [OTLPAttribute]) {
        guard let session, attributes["session.id"]?.text == nil else { return }
        attributes.append(OTLPAttribute(key: "session.id", value: .string(session)))
    }
}

/// One number of a metric.
package struct OTLPDataPoint: Equatable, Sendable {
    package var metric = ""
    package var timeUnixNano: UInt64 = 0
    package var value = 0.0
    package var attributes: [OTLPAttribute] = []
}

/// A decoded export request.
package struct OTLPExport: Equatable, Sendable {
    package var logs: [OTLPLogRecord] = []
    package var points: [OTLPDataPoint] = []
    /// Number of spans, and of metrics of kinds that are not kept.
    package var unread = 0
    /// Number of records and data points beyond the limit of one request.
    package var refused = 0
}
