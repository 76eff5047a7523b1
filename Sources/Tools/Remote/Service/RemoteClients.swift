internal import EventModel

/// The clients of remote servers that this program keeps: one for each server and each account. Pure.
struct RemoteClients {
    /// The most clients of connected accounts that are kept. Others are made anew when they are needed.
    private static let most = 1000

    private struct Entry {
        /// When the server was last changed.
        var changedAt: Timestamp
        var client: RemoteClient
        var listing: Listing?
    }

    /// What a server has last told a connected account.
    struct Listing {
        var at: Timestamp
        /// The names of the tools.
        var tools: Set<String>
    }

    private var entries: [RemoteTokens.Holder: Entry] = [:]

    /// `nil` if the server was changed since then.
    func client(_ holder: RemoteTokens.Holder, _ changedAt: Timestamp) -> RemoteClient? {
        entry(holder, changedAt)?.client
    }

    func listing(_ holder: RemoteTokens.Holder, _ changedAt: Timestamp) -> Listing? {
        entry(holder, changedAt)?.listing
    }

    mutating func add(_ client: RemoteClient, _ holder: RemoteTokens.Holder, _ changedAt: Timestamp) {
        if entries.count >= RemoteClients.most, entries[holder] == nil,
            let other = entries.keys.first(where: { $0.account != nil })
        {
            entries[other] = nil
        }
        entries[holder] = Entry(changedAt: changedAt, client: client)
    }

    mutating func listed(_ listing: Listing, _ holder: RemoteTokens.Holder, _ changedAt: Timestamp) {
        guard entry(holder, changedAt) != nil else { return }
        entries[holder]?.listing = listing
    }

    mutating func forget(_ server: String) {
        entries = entries.filter { $0.key.server != server }
    }

    private func entry(_ holder: RemoteTokens.Holder, _ changedAt: Timestamp) -> Entry? {
        entries[holder].flatMap { $0.changedAt == changedAt ? $0 : nil }
    }
}
