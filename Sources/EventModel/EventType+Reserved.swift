extension EventType {
    /// The types of the events that the server itself adds to the log.
    package static let ofServer: Set<EventType> = ofPrompts.union([
        .messageUpdated, .sessionInterrupted, .sessionGone, .sessionChanged, .streamNumber,
    ])

    /// The names of the other notifications that clients receive as `event/<name>`.
    package static let ofNotifications: Set<String> = [
        "claude_log", "claude_message", "claude_permission", "claude_session_info", "claude_status", "claude_waiting",
        "heartbeat", "pty_permission", "pty_permission_resolved", "session_id_failed", "session_id_resolved",
        "session_joined", "session_left", "git_status_changed", "watch_changed",
        EventType.sessionRow.rawValue, EventType.messagePartial.rawValue,
        EventType.ptyOutput.rawValue,
    ]

    /// Whether only the server may create events of this type. A client would trust an event of such a type, because
    /// the server itself sends such events.
    ///
    /// Compares letters and digits only, so that no other spelling of a reserved name passes.
    package var isReserved: Bool {
        guard !EventType.ofKnownHooks.contains(self) else { return false }
        return EventType.reservedNames.contains(EventType.lettersAndDigits(rawValue))
    }

    private static let reservedNames: Set<[UInt8]> = Set(
        (ofServer.map(\.rawValue) + ofNotifications).map(lettersAndDigits)
    )
    private static let ofKnownHooks = Set(HookEventName.Known.allCases.map { EventType(.known($0)) })

    private static func lettersAndDigits(_ text: String) -> [UInt8] {
        text.utf8.compactMap { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte + 32
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
            default: nil
            }
        }
    }
}

extension MonitorEvent {
    /// Whether a sender made this event although only the server may create it. The server's own events have no hook
    /// name.
    package var isForged: Bool { hookEventName != nil && isReserved }

    /// Whether only the server may create this event. A sender can specify the type in several fields, so check the
    /// decoded event and not the request.
    package var isReserved: Bool {
        if type.isReserved { return true }
        guard let name = hookEventName, name.known == nil else { return false }
        return EventType(name).isReserved
    }
}
