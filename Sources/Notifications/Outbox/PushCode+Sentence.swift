extension PushCode {
    /// Text for people. A decision may have a more specific sentence.
    var sentence: String {
        switch self {
        case .sent: "The push service took it."
        case .sentSilently: "The push service took it. It has no sound, as the device has quiet hours."
        case .kindOff: "Notices of this kind are switched off."
        case .remindersOff: "Reminders are switched off."
        case .shortTurn: "The turn was too short to be told."
        case .shortTool: "The tool was too short to be told."
        case .alreadyTold: "That the turn is finished was told already."
        case .muted: "Notices are muted."
        case .quietHours: "The device has quiet hours."
        case .viewerPresent: "Somebody was looking at it in the app."
        case .grace: "It may still be answered elsewhere."
        case .unconfirmed: "Nothing shows yet that a person is asked."
        case .notYetDue: "It is not due yet."
        case .replaced: "A newer notice that replaces it was sent."
        case .nothingToReplace: "The notice that it replaces was not sent to this device."
        case .coalescing: "Notices that replace each other are sent once in 10 seconds."
        case .sessionGap: "Notices of one session are kept apart."
        case .budget: "The device got as many notices as it may get in an hour."
        case .answeredElsewhere: "It was answered elsewhere."
        case .autoApproved: "The tool was allowed without asking a person."
        case .turnWentOn: "The session went on."
        case .sessionEnded: "The session ended."
        case .merged: "The notice that the turn is finished says it as well."
        case .forgotten: "Too many prompts of this session were open."
        case .silencedByMachine: "The machine's approvals file silences it (who=off, or quiet hours)."
        case .withdrawn: "A later event made it void."
        case .tokenGone: "The push service no longer knows the token."
        case .tokenRefused: "The push service refuses the token."
        case .tokenRemoved: "The token is no longer registered."
        case .tokenQuarantined: "The token was refused before. It is not used until it is registered again."
        case .deviceRevoked: "The device was revoked or signed out."
        case .noPushToken: "The device has no active push token."
        case .noApp: "Browsers show every push, so they get no canary."
        case .sending: "It is being handed to the push service."
        case .retry: "The push service asked for another try later."
        case .tooLarge: "The push service found it too large. It is sent once more, smaller."
        case .unreachable: "The push service was not reached."
        case .untrusted: "The push service's certificate is not trusted."
        case .congested: "Too many pushes wait for the push service."
        case .refused: "The push service turned it away unread."
        case .stopped: "The server was stopped before it was sent."
        case .breaker: "Pushing is suspended after repeated failures."
        case .expired: "It was no longer of use when it could be sent."
        case .noAnswer: "It was sent twice and never answered. The device may have it."
        case .rejected: "The push service refused it."
        case .unusableService: "The browser's push service cannot be used."
        case .malformed: "It could not be put into the service's form."
        case .unreadable: "The stored notice cannot be read."
        case .pushOff: "This server has no key for such pushes."
        case .undecided: "It was due, and no server has sent it or given it up."
        }
    }

    /// The states that a delivery with this code can be in.
    var states: Set<PushState> {
        switch self {
        case .sent, .sentSilently: [.sent]
        case .kindOff, .remindersOff, .shortTurn, .shortTool, .alreadyTold, .replaced, .nothingToReplace: [.suppressed]
        case .tokenQuarantined, .noApp, .pushOff: [.suppressed]
        case .muted, .quietHours, .viewerPresent, .coalescing, .sessionGap, .budget: [.waiting, .suppressed]
        case .grace, .unconfirmed, .notYetDue: [.waiting]
        case .retry, .tooLarge, .unreachable, .untrusted, .congested, .refused, .stopped, .breaker: [.waiting]
        case .answeredElsewhere, .autoApproved, .turnWentOn, .sessionEnded, .merged, .forgotten: [.withdrawn]
        case .silencedByMachine, .withdrawn, .tokenRemoved, .deviceRevoked: [.withdrawn]
        case .tokenGone: [.suppressed, .failed]
        case .tokenRefused, .noAnswer, .rejected, .unusableService, .malformed, .unreadable: [.failed]
        case .sending: [.claimed]
        case .expired: [.expired]
        case .noPushToken, .undecided: []
        }
    }
}
