internal import EventModel

/// What sessions send while it happens. It is not stored, so a subscriber that misses a piece gets all of it instead.
extension Hub {
    /// Sends a piece to the subscribers that follow the stream.
    ///
    /// - Parameters:
    ///   - whole: all that counts so far, for subscribers that have missed a piece.
    ///   - isAllowed: whether a subscriber may have it.
    package func send(
        live piece: StreamNotice,
        whole: @autoclosure () -> StreamNotice,
        of stream: LiveStream,
        to isAllowed: (Subscriber) -> Bool = { _ in true }
    ) {
        let takers = liveFollowers.take(of: stream, isAllowed: isAllowed) { blocked[$0] != nil }
        send(piece, to: takers.piece)
        if !takers.whole.isEmpty { send(whole(), to: takers.whole) }
    }

    /// Sends a subscriber whose socket has drained all of each stream of which it has missed a piece. That piece may
    /// be the last for long.
    package func sendMissed(to subscriber: Subscriber, whole: (LiveStream) -> StreamNotice?) {
        guard blocked[subscriber] == nil, let transport = subscriptions[subscriber]?.transport else { return }
        for stream in liveFollowers.takeMissed(by: subscriber) {
            if let notice = whole(stream) { send(notice.bytes(for: transport), to: subscriber) }
        }
    }

    func send(_ notice: StreamNotice, to subscribers: [Subscriber]) {
        for (transport, members) in Dictionary(grouping: subscribers, by: { subscriptions[$0]?.transport }) {
            guard let transport else { continue }
            for (subscriber, result) in output.send(notice.bytes(for: transport), toAll: members) {
                note(result, of: subscriber)
            }
        }
    }
}
