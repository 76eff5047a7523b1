import JSON

/// One layer of what people can set for their pushes. An unknown member is refused.
extension JSONSchema {
    static let preferences = closed([
        "kinds?": nullable(kinds), "grace_seconds?": whole(0...60),
        "reminder_seconds?": either([whole(30...540), zero]),
        "quiet_hours?": nullable(either([#"{"const":false}"#, quietHours])), "muted_until?": nullable(sentTime),
        "always_push?": nullable(flag), "minimum_turn_seconds?": whole(0...86_400),
        "long_tool_seconds?": whole(30...86_400), "session_gap_seconds?": whole(0...3600),
        "budget?": nullable(closed(["per_hour?": whole(1...600), "burst?": whole(1...60)])),
        "privacy?": nullable(words("sealed", "contentless", "plain")), "live_activities?": nullable(flag),
        "grouping?": nullable(words("session", "project")), "cost_thresholds_usd?": nullable(amounts),
        "project_cost_thresholds_usd?": nullable(amounts), "session_cost_thresholds_usd?": nullable(amounts),
    ])

    private static let kinds = closed([
        "permission?": kind, "question?": kind, "finished?": kind, "long_tool?": kind, "error?": kind, "stuck?": kind,
        "session_started?": kind, "session_ended?": kind, "cost_threshold?": kind,
        "server_failed?": kind, "machine_offline?": kind,
    ])

    private static let kind = nullable(
        closed([
            "enabled?": nullable(flag), "level?": nullable(words("passive", "active", "time-sensitive")),
            "always_push?": nullable(flag),
        ])
    )

    private static let quietHours = closed([
        "start": timeOfDay, "end": timeOfDay,
        "days?": nullable(array(words("mon", "tue", "wed", "thu", "fri", "sat", "sun"))),
        "delivery?": nullable(words("silent", "digest", "none")), "permission_pierces?": nullable(flag),
    ])

    private static let timeOfDay = #"{"type":"string","pattern":"^([01][0-9]|2[0-3]):[0-5][0-9]$"}"#
    private static let zero = #"{"const":0}"#
    private static let amounts =
        #"{"type":"array","maxItems":10,"items":{"type":"number","minimum":0.01,"maximum":1000000}}"#

    private static func whole(_ range: ClosedRange<Int64>) -> String { nullable(integer(range)) }
}
