internal import EventModel

/// What a follower of rows has not got because its socket was full.
enum OwedRows: Sendable, Equatable {
    case rows(of: Set<String>)
    /// So many that it must read its list anew.
    case list

    /// Maximum number of sessions, so that a slow follower takes little memory.
    static let most = 100

    /// - Parameter session: `nil` if the follower must read its list anew.
    mutating func add(_ session: String?) {
        guard case .rows(var sessions) = self else { return }
        if let session { sessions.insert(session) }
        self = session == nil || sessions.count > OwedRows.most ? .list : .rows(of: sessions)
    }
}

/// Rows of sessions: notices for clients that show lists.
extension Hub {
    package var hasRowFollowers: Bool { !rowFollowers.isEmpty }

    /// Sends a session's row to the subscribers that name its type and get the session's events. It is owed to those
    /// whose sockets are full.
    ///
    /// - Parameters:
    ///   - session: `nil` if the notice asks clients to read their lists anew.
    ///   - chosen: the only subscribers that get it; `nil` means all.
    package func send(
        row notice: StreamNotice,
        of session: String?,
        to chosen: Set<Subscriber>? = nil,
        ifCovered: (EventFilter) -> Bool = { _ in true }
    ) {
        var takers: [Transport: [Subscriber]] = [:]
        for subscriber in chosen?.intersection(rowFollowers) ?? rowFollowers {
            guard let feed = subscriptions[subscriber]?.feed, ifCovered(feed.filter) else { continue }
            if blocked[subscriber] == nil {
                takers[feed.transport, default: []].append(subscriber)
            } else {
                owe(session, to: subscriber)
            }
        }
        for (transport, subscribers) in takers {
            let results = output.send(notice.bytes(for: transport), toAll: subscribers.sorted())
            for (subscriber, result) in results { note(result, of: subscriber) }
        }
    }

    /// - Parameter session: `nil` if the subscriber must read its list anew.
    package func owe(_ session: String?, to subscriber: Subscriber) {
        guard rowFollowers.contains(subscriber) else { return }
        owedRows[subscriber, default: .rows(of: [])].add(session)
    }

    /// The rows that are owed to followers whose sockets have room again. They count as sent.
    ///
    /// - Parameter limit: the maximum number of sessions. What exceeds it remains owed.
    /// - Returns: the followers of each session, and those that must read their lists anew.
    package func takeOwedRows(atMost limit: Int) -> (rows: [String: Set<Subscriber>], lists: Set<Subscriber>) {
        var taken: (rows: [String: Set<Subscriber>], lists: Set<Subscriber>) = ([:], [])
        for subscriber in owedRows.keys.filter({ blocked[$0] == nil }).sorted() {
            switch owedRows.removeValue(forKey: subscriber) {
            case .rows(let sessions):
                for session in sessions.sorted() {
                    if taken.rows[session] != nil || taken.rows.count < limit {
                        taken.rows[session, default: []].insert(subscriber)
                    } else {
                        owe(session, to: subscriber)
                    }
                }
            case .list: taken.lists.insert(subscriber)
            case nil: break
            }
        }
        return taken
    }

    func forgetRows(of subscriber: Subscriber) {
        rowFollowers.remove(subscriber)
        owedRows[subscriber] = nil
    }
}
