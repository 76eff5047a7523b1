internal import EventModel
internal import HTTPModel
internal import JSON

/// What is around a hook's object in `POST /api/events`, checked.
struct Envelope {
    private static let maxIDBytes = 200
    private static let maxNameLength = 200
    private static let maxTypeBytes = 100

    /// What the sender calls the event.
    var sentID: String?
    var type: EventType?
    var machineName: String?
    var timestamp: Timestamp?
    var projectPath: String?
    var extra: EnvelopeExtra

    /// For a hook's object that came without one.
    init() {
        extra = EnvelopeExtra(envelope: nil)
    }

    init(_ envelope: JSONElement) throws(APIError) {
        extra = EnvelopeExtra(envelope: envelope)
        sentID = try Envelope.eventID(envelope["event_id"])
        type = try Envelope.eventType(envelope["event_type"])
        timestamp = try Envelope.timestamp(envelope["timestamp"])
        machineName = Envelope.machineName(envelope["machine_id"])
        projectPath = Normalizer.path(envelope["project_dir"])
    }

    /// The `event_id` as it was sent, for the answer; nothing that is longer than an id can be.
    static func sentID(of envelope: JSONElement) -> String? {
        guard let element = envelope["event_id"], let length = element.utf8Count, length <= maxIDBytes else {
            return nil
        }
        return element.string
    }

    static func hook(of envelope: JSONElement) throws(APIError) -> JSONElement {
        guard let hook = envelope["data"], hook.isObject else {
            throw .invalid("missing_data", "data is not there or not an object", param: "data")
        }
        return hook
    }

    private static func eventID(_ element: JSONElement?) throws(APIError) -> String? {
        guard let element, element.kind != .null else { return nil }
        guard let length = element.utf8Count, (1...maxIDBytes).contains(length), let text = element.string else {
            throw .invalid(
                "invalid_event_id",
                "event_id is not a string of 1 to \(maxIDBytes) bytes",
                param: "event_id"
            )
        }
        return text
    }

    private static func eventType(_ element: JSONElement?) throws(APIError) -> EventType? {
        guard let element, element.kind != .null, element.utf8Count != 0 else { return nil }
        guard let length = element.utf8Count, length <= maxTypeBytes, let text = element.string else {
            throw .invalid("invalid_event_type", "event_type is not a string of at most 100 bytes", param: "event_type")
        }
        return EventType(sent: text)
    }

    private static func timestamp(_ element: JSONElement?) throws(APIError) -> Timestamp? {
        guard let element, element.kind != .null else { return nil }
        guard let time = element.string.flatMap(Timestamp.init(rfc3339:)) else {
            throw .invalid("invalid_timestamp", "timestamp is not an RFC 3339 time", param: "timestamp")
        }
        return time
    }

    /// A name that cannot be shown is as good as none.
    private static func machineName(_ element: JSONElement?) -> String? {
        guard let text = element?.string, !text.isEmpty, text.unicodeScalars.count <= maxNameLength else { return nil }
        return text
    }
}
