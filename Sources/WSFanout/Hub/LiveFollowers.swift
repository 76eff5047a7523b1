package import EventModel

/// Something that a session sends while it happens, and that is not stored.
package struct LiveStream: Hashable, Sendable {
    package let session: String
    /// `messagePartial` or `ptyOutput`.
    package let type: EventType

    package init(_ type: EventType, of session: String) {
        (self.type, self.session) = (type, session)
    }
}

/// The subscribers that name a session, and therefore get what it sends while it happens. A terminal's output is much,
/// so only those get it that name its type too.
struct LiveFollowers<Subscriber: Hashable & Comparable & Sendable> {
    private var ofStream: [LiveStream: Set<Subscriber>] = [:]
    private var streams: [Subscriber: [LiveStream]] = [:]
    /// They have missed a piece, because their socket was full.
    private var behind: [LiveStream: Set<Subscriber>] = [:]

    mutating func add(_ subscriber: Subscriber, _ filter: EventFilter) {
        guard let session = filter.sessionID else { return }
        var wanted: [EventType] = []
        if filter.types?.contains(.messagePartial) ?? true { wanted.append(.messagePartial) }
        if filter.types?.contains(.ptyOutput) ?? false { wanted.append(.ptyOutput) }
        streams[subscriber] = wanted.map { LiveStream($0, of: session) }
        for stream in streams[subscriber] ?? [] { ofStream[stream, default: []].insert(subscriber) }
    }

    mutating func remove(_ subscriber: Subscriber) {
        for stream in streams.removeValue(forKey: subscriber) ?? [] {
            ofStream[stream]?.remove(subscriber)
            behind[stream]?.remove(subscriber)
            if ofStream[stream]?.isEmpty ?? false { (ofStream[stream], behind[stream]) = (nil, nil) }
        }
    }

    /// Those who get a piece of the stream, and those who need all of it instead.
    mutating func take(
        of stream: LiveStream,
        isAllowed: (Subscriber) -> Bool = { _ in true },
        isBlocked: (Subscriber) -> Bool
    ) -> (piece: [Subscriber], whole: [Subscriber]) {
        var (piece, whole): ([Subscriber], [Subscriber]) = ([], [])
        for subscriber in (ofStream[stream] ?? []).sorted() where isAllowed(subscriber) {
            if isBlocked(subscriber) {
                behind[stream, default: []].insert(subscriber)
            } else if behind[stream]?.remove(subscriber) == nil {
                piece.append(subscriber)
            } else {
                whole.append(subscriber)
            }
        }
        return (piece, whole)
    }

    /// The streams in which the subscriber has missed a piece. The caller sends the whole content of each.
    mutating func takeMissed(by subscriber: Subscriber) -> [LiveStream] {
        (streams[subscriber] ?? []).filter { behind[$0]?.remove(subscriber) != nil }
    }
}
