internal import EventModel

/// Text that sessions are writing. It is not stored, so a subscriber that misses a piece gets the whole text instead.
extension Hub {
    /// Sends a piece of a session's text to the subscribers that name the session.
    ///
    /// - Parameter whole: all of the text so far, for subscribers that have missed a piece.
    package func send(text piece: StreamNotice, whole: @autoclosure () -> StreamNotice, of session: String) {
        let takers = textFollowers.take(of: session) { blocked[$0] != nil }
        send(piece, to: takers.piece)
        if !takers.whole.isEmpty { send(whole(), to: takers.whole) }
    }

    private func send(_ notice: StreamNotice, to subscribers: [Subscriber]) {
        for (transport, members) in Dictionary(grouping: subscribers, by: { subscriptions[$0]?.transport }) {
            guard let transport else { continue }
            for (subscriber, result) in output.send(notice.bytes(for: transport), toAll: members) {
                note(result, of: subscriber)
            }
        }
    }
}
