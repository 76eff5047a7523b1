internal import EventModel

/// The clients of servers that this program keeps, for each whose tokens they send. Pure.
struct RemoteClients {
    /// Clients of connected accounts beyond these are made anew when they are needed.
    private static let most = 1000

    private struct Entry {
        /// When the server was last changed.
        var changedAt: Timestamp
        var client: RemoteClient
        var listedAt: Timestamp?
    }

    private var entries: [RemoteTokens.Holder: Entry] = [:]

    /// `nil` if the server was changed since.
    func client(_ holder: RemoteTokens.Holder, _ changedAt: Timestamp) -> RemoteClient? {
        entry(holder, changedAt)?.client
    }

    func listedAt(_ holder: RemoteTokens.Holder, _ changedAt: Timestamp) -> Timestamp? {
        entry(holder, changedAt)?.listedAt
    }

    mutating func add(_ client: RemoteClient, _ holder: RemoteTokens.Holder, _ changedAt: Timestamp) {
        if entries.count >= RemoteClients.most, entries[holder] == nil,
            let other = entries.keys.first(where: { $0.account != nil })
        {
            entries[other] = nil
        }
        entries[holder] = Entry(changedAt: changedAt, client: client)
    }

    mutating func listed(_ holder: RemoteTokens.Holder, _ changedAt: Timestamp, at time: Timestamp) {
        guard entry(holder, changedAt) != nil else { return }
        entries[holder]?.listedAt = time
    }

    mutating func forget(_ server: String) {
        entries = entries.filter { $0.key.server != server }
    }

    private func entry(_ holder: RemoteTokens.Holder, _ changedAt: Timestamp) -> Entry? {
        entries[holder].flatMap { $0.changedAt == changedAt ? $0 : nil }
    }
}
