/// Why a delivery is in its state, or what became of a try: one word that programs compare, and a sentence.
///
/// The words are stored and shown; they do not change.
enum PushCode: String, Sendable, Hashable, CaseIterable {
    // Sent.
    case sent
    case sentSilently = "sent_silently"

    // What people have set.
    case kindOff = "kind_off"
    case remindersOff = "reminders_off"
    case shortTurn = "short_turn"
    case shortTool = "short_tool"
    case alreadyTold = "already_told"
    case muted
    case quietHours = "quiet_hours"

    // What the server spares people.
    case viewerPresent = "viewer_present"
    case grace
    case unconfirmed
    case notYetDue = "not_yet_due"
    case replaced
    case nothingToReplace = "nothing_to_replace"
    case coalescing
    case sessionGap = "session_gap"
    case budget

    // A later event.
    case answeredElsewhere = "answered_elsewhere"
    case autoApproved = "auto_approved"
    case turnWentOn = "turn_went_on"
    case sessionEnded = "session_ended"
    case merged
    case forgotten
    case withdrawn

    // The token and its device.
    case tokenGone = "token_gone"
    case tokenRefused = "token_refused"
    case tokenRemoved = "token_removed"
    case tokenQuarantined = "token_quarantined"
    case deviceRevoked = "device_revoked"
    case noPushToken = "no_push_token"
    case noApp = "no_app"

    // The push service; looked at again.
    case sending
    case retry
    case tooLarge = "too_large"
    case unreachable
    case untrusted
    case congested
    case refused
    case stopped
    case breaker

    // Given up.
    case expired
    case noAnswer = "no_answer"
    case rejected
    case unusableService = "unusable_service"
    case malformed
    case unreadable
    case pushOff = "push_off"
    case undecided
}
