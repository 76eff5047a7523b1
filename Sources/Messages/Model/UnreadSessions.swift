internal import EventModel
internal import JSON

/// The sessions with unread messages, and what an event of one of them shows about its messages.
struct UnreadSessions: Sendable {
    enum Effect: Sendable, Equatable {
        /// The session has accepted this prompt, which may be a message.
        case accepted(String)
        /// The session will not take its queued messages of the kind any more; `nil` means all kinds.
        case over(SessionMessage.Kind?, because: String)
    }

    /// `nil` until they are known. Sessions with messages of other servers may be missing for some seconds.
    private var sessions: Set<String>?

    /// Whether no session can have unread messages.
    var isEmpty: Bool { sessions?.isEmpty ?? false }

    func mayInclude(_ session: String) -> Bool { sessions?.contains(session) ?? true }

    mutating func queued(to session: String) { sessions?.insert(session) }

    /// - Parameters:
    ///   - found: what a read of the database found. It may lack messages that were queued in the meantime.
    ///   - before: the sessions when the read began.
    mutating func found(_ found: Set<String>, since before: UnreadSessions) {
        sessions = found.union((sessions ?? []).subtracting(before.sessions ?? []))
    }

    func effects(of event: MonitorEvent) -> [Effect] {
        guard let session = event.sessionID, mayInclude(session) else { return [] }
        var effects: [Effect] = []
        if event.type == .sessionGone { effects.append(.over(nil, because: "the session's process has gone")) }
        switch event.hookEventName?.known {
        case .userPromptSubmit:
            // A prompt that no person typed is no message.
            guard !event.facts.promptIsInjected, let prompt = (try? JSONValue.parse(event.payload))?["prompt"]?.string
            else { break }
            effects.append(.accepted(prompt))
        case .stop, .stopFailure: effects.append(.over(.interrupt, because: "the turn ended first"))
        case .sessionEnd: effects.append(.over(nil, because: "the session ended"))
        default: break
        }
        return effects
    }
}
