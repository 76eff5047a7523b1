internal import EventModel

/// The subscribers that name a session, and therefore get the text that it is writing.
struct TextFollowers<Subscriber: Hashable & Comparable & Sendable> {
    private var ofSession: [String: Set<Subscriber>] = [:]
    private var sessions: [Subscriber: String] = [:]
    /// They have missed a piece, because their socket was full.
    private var behind: Set<Subscriber> = []

    mutating func add(_ subscriber: Subscriber, _ filter: EventFilter) {
        guard let session = filter.sessionID, filter.types?.contains(.messagePartial) ?? true else { return }
        sessions[subscriber] = session
        ofSession[session, default: []].insert(subscriber)
    }

    mutating func remove(_ subscriber: Subscriber) {
        guard let session = sessions.removeValue(forKey: subscriber) else { return }
        behind.remove(subscriber)
        ofSession[session]?.remove(subscriber)
        if ofSession[session]?.isEmpty ?? false { ofSession[session] = nil }
    }

    /// Those who get a piece of the session's text, and those who need the whole text instead.
    mutating func take(
        of session: String,
        isBlocked: (Subscriber) -> Bool
    ) -> (piece: [Subscriber], whole: [Subscriber]) {
        var (piece, whole): ([Subscriber], [Subscriber]) = ([], [])
        for subscriber in (ofSession[session] ?? []).sorted() {
            if isBlocked(subscriber) {
                behind.insert(subscriber)
            } else if behind.remove(subscriber) == nil {
                piece.append(subscriber)
            } else {
                whole.append(subscriber)
            }
        }
        return (piece, whole)
    }
}
