internal import EventModel
internal import HTTPModel
internal import JSON
internal import Masking

/// The validated envelope of a hook's object in `POST /api/events`.
struct Envelope {
    private static let maxIDLength = 200
    private static let maxNameLength = 200
    private static let maxTypeLength = 100

    /// The sender's id of the event.
    var sentID: String?
    var type: EventType?
    var machineName: String?
    var timestamp: Timestamp?
    var projectPath: String?
    var stream: StreamNumber?
    /// The machine's approvals file says that devices are not notified of the prompt.
    var isSilent = false
    /// Used if the hook's object has no session id.
    var sessionID: String?
    var extra: EnvelopeExtra

    /// The envelope of a hook's object that was sent without one.
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
        stream = envelope["stream"].flatMap(Envelope.stream)
        isSilent = envelope["approvals"]?.string.map(Envelope.isSilent) ?? false
    }

    /// - Parameter rule: the rule of the approvals file that applies, as words of the form `key=value`.
    private static func isSilent(rule: String) -> Bool { rule.split(separator: " ").contains("who=off") }

    /// Returns `nil` for an invalid number, because the event matters more than its number.
    private static func stream(_ element: JSONElement) -> StreamNumber? {
        guard let id = element["id"]?.text(atMost: StreamNumber.maximumID), let number = element["n"]?.integer else {
            return nil
        }
        let masked = SecretMasker.masked(id)
        return StreamNumber(id: masked, number: number, sessionNumber: element["session_n"]?.integer)
    }

    /// Returns the `event_id` as sent, for the answer, or `nil` if it is longer than an id can be.
    static func sentID(of envelope: JSONElement) -> String? {
        envelope["event_id"]?.text(atMost: maxIDLength)
    }

    static func hook(of envelope: JSONElement) throws(APIError) -> JSONElement {
        guard let hook = envelope["data"], hook.isObject else {
            throw .invalid("missing_data", "data is not there or not an object", param: "data")
        }
        return hook
    }

    private static func eventID(_ element: JSONElement?) throws(APIError) -> String? {
        guard let element, element.kind != .null else { return nil }
        guard let text = element.text(atMost: maxIDLength), !text.isEmpty else {
            throw .invalid(
                "invalid_event_id",
                "event_id is not a string of 1 to \(maxIDLength) characters",
                param: "event_id"
            )
        }
        return text
    }

    static func eventType(_ element: JSONElement?, param: String = "event_type") throws(APIError) -> EventType? {
        guard let element, element.kind != .null, element.utf8Count != 0 else { return nil }
        guard let text = element.text(atMost: maxTypeLength) else {
            throw .invalid(
                "invalid_event_type",
                "\(param) is not a string of at most \(maxTypeLength) characters",
                param: param
            )
        }
        let type = EventType(sent: SecretMasker.masked(text))
        guard !type.isReserved else { throw .reservedEventType(param) }
        return type
    }

    private static func timestamp(_ element: JSONElement?) throws(APIError) -> Timestamp? {
        guard let element, element.kind != .null else { return nil }
        guard let time = element.string.flatMap(Timestamp.init(rfc3339:)) else {
            throw .invalid("invalid_timestamp", "timestamp is not an RFC 3339 time", param: "timestamp")
        }
        return time
    }

    /// Returns `nil` for a name that cannot be displayed.
    private static func machineName(_ element: JSONElement?) -> String? {
        guard let text = element?.text(atMost: maxNameLength), !text.isEmpty else { return nil }
        return SecretMasker.masked(text)
    }
}

extension APIError {
    static func reservedEventType(_ param: String) -> APIError {
        .invalid("reserved_event_type", "\(param) is one of the server's own types", param: param)
    }
}

extension JSONElement {
    /// The string with its secrets masked, or `nil` if the element is not a string.
    var maskedString: String? {
        guard let masked = withUTF8({ SecretMasker.masked($0) }) else { return nil }
        return masked.map { String(decoding: $0, as: UTF8.self) } ?? string
    }

    /// Returns `nil` if the element is not a string or is longer than `limit` characters (Unicode scalars).
    func text(atMost limit: Int) -> String? {
        guard let bytes = utf8Count, bytes <= 4 * limit, let text = string else { return nil }
        return bytes <= limit || text.unicodeScalars.count <= limit ? text : nil
    }
}
