/// Names one of the schemas of the API's documents.
public struct SchemaName: Sendable, Hashable, ExpressibleByStringLiteral {
    public let rawValue: String

    public init(stringLiteral value: String) {
        rawValue = value
    }

    static let failure: SchemaName = "Failure"

    var reference: String { ##"{"$ref":"#/components/schemas/\##(rawValue)"}"## }
}

/// The schemas of all answers and bodies (JSON Schema 2020-12), each written once.
enum Schemas {
    static let all: [(SchemaName, String)] = server + log + sessions + projects + models + keys + push + rpc

    /// An object; members with a question mark may be absent. `{n}` in a type allows null.
    static func object(_ members: KeyValuePairs<String, String>) -> String {
        let required = members.map(\.key).filter { !$0.hasSuffix("?") }.map { "\"\($0)\"" }
        let properties = members.map { name, type in
            let name = name.hasSuffix("?") ? String(name.dropLast()) : name
            return "\"\(name)\":\(type)"
        }
        return #"{"type":"object","required":[\#(required.joined(separator: ","))],"#
            + #""properties":{\#(properties.joined(separator: ","))}}"#
    }

    static let text = #"{"type":"string"}"#
    static let textOrNull = #"{"type":["string","null"]}"#
    static let count = #"{"type":"integer","minimum":0}"#
    static let number = #"{"type":"number"}"#
    static let flag = #"{"type":"boolean"}"#
    static let time = #"{"type":"string","format":"date-time"}"#
    static let date = #"{"type":"string","format":"date"}"#
    static let dateOrNull = #"{"type":["string","null"],"format":"date"}"#
    static let any = #"{"type":"object"}"#

    static func list(_ name: SchemaName) -> String { #"{"type":"array","items":\#(name.reference)}"# }
    static func words(_ values: String...) -> String {
        #"{"type":"string","enum":[\#(values.map { "\"\($0)\"" }.joined(separator: ","))]}"#
    }
    static func one(_ name: SchemaName) -> String { name.reference }
    static let texts = #"{"type":"array","items":{"type":"string"}}"#

    private static let server: [(SchemaName, String)] = [
        (
            .failure,
            object([
                "error": object([
                    "type": text, "code": text, "message": text, "param": textOrNull, "status": count,
                    "request_id": text, "retry_after?": count,
                ])
            ])
        ),
        (
            "Health",
            object([
                "ok": flag, "status": words("healthy", "degraded"), "version": text, "time": time,
                "uptime_seconds": count, "active_sessions": count, "waiting_sessions": count, "database": any,
                "subscribers": any, "push": any,
            ])
        ),
        ("Signpost", object(["name": text, "version": text, "endpoints": any, "health": text])),
        ("Document", any),
        (
            "Pagination",
            object([
                "page": count, "per_page": count, "total_items": count, "total_pages": count, "has_next": flag,
                "has_prev": flag,
            ])
        ),
        ("PageMeta", object(["page": count, "per_page": count, "total": count, "total_pages": count])),
        ("PageLinks", object(["first": text, "last": text, "next?": text, "prev?": text])),
    ]

    private static let log: [(SchemaName, String)] = [
        (
            "Event",
            object([
                "event": text, "type": text, "seq": count, "epoch": text, "event_id": text, "timestamp": time,
                "received_at": time, "session_id?": text, "workspace_id?": text, "machine_id": text,
                "machine_name": text, "agent_type": text, "hook_event_name?": text, "tool_name?": text,
                "summary": text, "payload": any,
            ])
        ),
        (
            "EventPage",
            object([
                "events": list("Event"), "next_cursor": textOrNull,
                "meta": object([
                    "count": count, "limit": count, "has_more": flag, "order": words("asc", "desc"), "epoch": text,
                    "head": count, "oldest": count,
                ]),
            ])
        ),
        (
            "Envelope",
            object([
                "event_id?": text, "event?": text, "timestamp?": text, "machine_id?": text, "project_path?": text,
                "data": any,
            ])
        ),
        ("Envelopes", #"{"anyOf":[\#(one("Envelope")),\#(list("Envelope"))]}"#),
        ("Hook", object(["hook_event_name": text, "session_id?": text])),
        (
            "IngestAnswer",
            object([
                "accepted": count, "duplicates": count, "rejected": count,
                "events":
                    #"{"type":"array","items":\#(object(["event_id?": text, "seq?": count, "status": text]))}"#,
            ])
        ),
        (
            "Machine",
            object([
                "id": text, "name": text, "reported_name?": text, "created_at": time, "last_seen_at?": time,
                "session_count": count,
            ])
        ),
        ("MachineList", object(["machines": list("Machine")])),
    ]
}
