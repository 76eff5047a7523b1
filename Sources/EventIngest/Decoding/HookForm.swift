internal import EventModel
internal import HTTPModel
internal import JSON
internal import Masking

/// The format of a request with one hook's object. Machines that already report to another monitor can report here
/// with their existing sender.
public enum HookForm: Sendable {
    /// The hook's object itself.
    case bare
    /// `{source_app, session_id, hook_event_type, payload, timestamp}`, with the time in milliseconds.
    /// `send_event.py` of disler's claude-code-hooks-multi-agent-observability posts it to `/events`.
    case sourceApp
    /// `{hook_type, data}`. `hook-handler.js` of hoangsonww's Claude-Code-Agent-Monitor posts it to
    /// `/api/hooks/event`.
    case hookType

    /// 9999-12-31T23:59:59.999Z, the last time that RFC 3339 can represent.
    private static let lastMillisecond: Int64 = 253_402_300_799_999

    /// `chat` is the whole transcript. The other members are copies from the hook's object.
    private static let sourceAppMembers: [StaticString] = [
        "session_id", "hook_event_type", "payload", "timestamp", "chat", "tool_name", "tool_use_id", "error",
        "is_interrupt", "permission_suggestions", "agent_id", "agent_type", "agent_transcript_path", "stop_hook_active",
        "notification_type", "custom_instructions", "source", "reason",
    ]

    func read(_ body: JSONElement) throws(APIError) -> (hook: JSONElement, envelope: Envelope) {
        guard body.isObject else { throw .invalid("invalid_json", "the body is not a JSON object") }
        switch self {
        case .bare: return (body, Envelope())
        case .sourceApp:
            let hook = try HookForm.hook(body["payload"], "payload")
            var envelope = try HookForm.envelope(hook, type: body["hook_event_type"], "hook_event_type")
            envelope.timestamp = try HookForm.time(body["timestamp"])
            envelope.sessionID = try Normalizer.sessionID(of: body)
            envelope.extra = EnvelopeExtra(envelope: body, known: HookForm.sourceAppMembers)
            return (hook, envelope)
        case .hookType:
            let hook = try HookForm.hook(body["data"], "data")
            return (hook, try HookForm.envelope(hook, type: body["hook_type"], "hook_type"))
        }
    }

    private static func hook(_ element: JSONElement?, _ param: String) throws(APIError) -> JSONElement {
        guard let element, element.isObject else {
            throw .invalid("missing_data", "\(param) is not there or not an object", param: param)
        }
        return element
    }

    /// The hook's own event name takes precedence over the name that its sender was configured with.
    private static func envelope(
        _ hook: JSONElement,
        type: JSONElement?,
        _ param: String
    ) throws(APIError) -> Envelope {
        var envelope = Envelope()
        let sent = try Envelope.eventType(type, param: param)
        if Normalizer.hookEventName(of: hook) == nil { envelope.type = sent }
        return envelope
    }

    private static func time(_ element: JSONElement?) throws(APIError) -> Timestamp? {
        guard let element, element.kind != .null else { return nil }
        guard let milliseconds = element.integer, (0...lastMillisecond).contains(milliseconds) else {
            throw .invalid(
                "invalid_timestamp",
                "timestamp is not a time in milliseconds since 1970",
                param: "timestamp"
            )
        }
        return Timestamp(microseconds: milliseconds * 1000)
    }
}
