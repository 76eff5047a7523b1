import Testing

@testable import Notifications

@Suite struct PushCodeTests {
    @Test func eachCodeHasASentenceOfItsOwn() {
        for code in PushCode.allCases {
            #expect(code.sentence.hasSuffix("."), "\(code)")
            #expect(code.sentence.first?.isUppercase == true, "\(code)")
        }
        #expect(Set(PushCode.allCases.map(\.sentence)).count == PushCode.allCases.count)
    }

    @Test func eachStateCanBeExplained() {
        let explained = PushCode.allCases.reduce(into: Set<PushState>()) { $0.formUnion($1.states) }
        #expect(explained == Set(PushState.allCases))
        #expect(PushCode.allCases.filter { $0.states.contains(.expired) } == [.expired])
    }

    @Test func codesAreStableAsProgramsCompareThem() {
        #expect(
            PushCode.allCases.map(\.rawValue) == [
                "sent", "sent_silently", "kind_off", "reminders_off", "short_turn", "short_tool", "already_told",
                "muted", "quiet_hours", "viewer_present", "grace", "unconfirmed", "not_yet_due", "replaced",
                "nothing_to_replace", "coalescing", "session_gap", "budget", "answered_elsewhere", "auto_approved",
                "turn_went_on", "session_ended", "merged", "forgotten", "silenced_by_machine", "withdrawn",
                "token_gone", "token_refused", "token_removed", "token_quarantined", "device_revoked",
                "no_push_token", "no_app", "sending", "retry", "too_large", "unreachable", "untrusted", "congested",
                "refused", "stopped", "breaker", "expired", "no_answer", "rejected", "unusable_service",
                "malformed", "unreadable", "push_off", "undecided",
            ]
        )
    }
}
