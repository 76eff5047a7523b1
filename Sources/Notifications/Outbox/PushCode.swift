/// The reason for a delivery's state or the result of an attempt: a word for programs, and a sentence for people.
///
/// The words are stored and shown to clients. They must not change.
enum PushCode: String, Sendable, Hashable, CaseIterable {
    // Sent.
    case sent
    case sentSilently = "sent_silently"

    // Preferences.
    case kindOff = "kind_off"
    case remindersOff = "reminders_off"
    case shortTurn = "short_turn"
    case shortTool = "short_tool"
    case alreadyTold = "already_told"
    case muted
    case quietHours = "quiet_hours"

    // Limits of the server.
    case viewerPresent = "viewer_present"
    case grace
    case unconfirmed
    case notYetDue = "not_yet_due"
    case replaced
    case nothingToReplace = "nothing_to_replace"
    case coalescing
    case sessionGap = "session_gap"
    case budget

    // Later events.
    case answeredElsewhere = "answered_elsewhere"
    case autoApproved = "auto_approved"
    case turnWentOn = "turn_went_on"
    case sessionEnded = "session_ended"
    case merged
    case forgotten
    case silencedByMachine = "silenced_by_machine"
    case withdrawn

    // The token and its device.
    case tokenGone = "token_gone"
    case tokenRefused = "token_refused"
    case tokenRemoved = "token_removed"
    case tokenQuarantined = "token_quarantined"
    case deviceRevoked = "device_revoked"
    case noPushToken = "no_push_token"
    case noApp = "no_app"

    // The push service. Retried later.
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
