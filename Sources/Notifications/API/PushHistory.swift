internal import EventModel
internal import JSON

/// What happened to one notice for one token, to explain why a push was or was not sent.
struct PushDecision: Sendable, Equatable {
    var id: Int64
    var device: DeviceID
    var tokenKind: String
    /// The token's fingerprint, while the token is registered.
    var tokenFingerprint: String?
    var apnsID: EventID
    var state: PushState
    /// When the delivery is next processed, while it waits.
    var dueAt: Timestamp
    var attempts: Int64
    var submissions: Int64
    var level: String?
    var collapseID: String?
    /// One word.
    var code: String?
    /// Text for people.
    var reason: String?
    /// The status of the push service's answer.
    var status: Int64?
    var decidedAt: Timestamp?
}

/// A notice with all decisions about it.
struct PushHistory: Sendable, Equatable {
    var noticeKey: String
    var kind: String
    /// `nil` for a test.
    var eventSeq: Int64?
    var eventID: EventID?
    var sessionID: String?
    var raisedAt: Timestamp
    var notBefore: Timestamp
    var expiresAt: Timestamp
    var withdrawnAt: Timestamp?
    var withdrawnBecause: String?
    /// Empty if no device was registered for pushes, or if the notice was withdrawn before it was handed out.
    var decisions: [PushDecision] = []
}

extension PushHistory {
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("key", noticeKey)
        writer.field("kind", kind)
        if noticeKey.hasSuffix(Notification.reminderSuffix) { writer.field("reminder", true) }
        writer.field("event_id", eventID?.description)
        writer.field("seq", eventSeq)
        writer.field("session_id", sessionID)
        writer.field("raised_at", raisedAt.description)
        writer.field("not_before", notBefore.description)
        writer.field("expires_at", expiresAt.description)
        writer.field("withdrawn_at", withdrawnAt?.description)
        writer.field("withdrawn_because", withdrawnBecause)
        writer.field("withdrawn_reason", withdrawnBecause.map { WithdrawalReason(stored: $0).code.sentence })
        writer.beginArray("deliveries")
        for decision in decisions { decision.write(to: &writer) }
        writer.endArray()
        writer.endObject()
    }
}

extension PushDecision {
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("device_id", String(device.rawValue))
        writer.field("token_kind", tokenKind)
        writer.field("token", tokenFingerprint)
        writer.field("apns_id", apnsID.description)
        writer.field("state", state.rawValue)
        writer.field("due_at", state == .waiting ? dueAt.description : nil)
        writer.field("attempts", attempts)
        writer.field("submissions", submissions)
        writer.field("level", level)
        writer.field("collapse_id", collapseID)
        writer.field("code", code)
        writer.field("reason", reason)
        writer.field("status", status)
        writer.field("decided_at", decidedAt?.description)
        writer.endObject()
    }
}
