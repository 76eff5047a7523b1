internal import EventModel

/// Rows of sessions: notices for clients that show lists.
extension Hub {
    package var hasRowFollowers: Bool { !rowFollowers.isEmpty }

    /// Sends a session's row to the subscribers that name its type and get the session's events.
    ///
    /// - Returns: false if the socket of one of them is full. It has not got the row, so send it again later.
    package func send(row notice: StreamNotice, ifCovered: (EventFilter) -> Bool) -> Bool {
        var takers: [Transport: [Subscriber]] = [:]
        var isForAll = true
        for subscriber in rowFollowers {
            guard let feed = subscriptions[subscriber]?.feed, ifCovered(feed.filter) else { continue }
            if blocked[subscriber] == nil {
                takers[feed.transport, default: []].append(subscriber)
            } else {
                isForAll = false
            }
        }
        for (transport, subscribers) in takers {
            let results = output.send(notice.bytes(for: transport), toAll: subscribers.sorted())
            for (subscriber, result) in results { note(result, of: subscriber) }
        }
        return isForAll
    }
}
