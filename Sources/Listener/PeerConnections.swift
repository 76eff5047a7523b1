/// Counts the open connections of each peer.
struct PeerConnections {
    let limit: Int
    private var counts: [String: Int] = [:]

    init(limit: Int) {
        self.limit = limit
    }

    /// Returns false if the peer has reached its limit; the connection is then not counted.
    mutating func add(_ peer: String) -> Bool {
        let count = counts[peer, default: 0]
        guard count < limit else { return false }
        counts[peer] = count + 1
        return true
    }

    mutating func remove(_ peer: String) {
        guard let count = counts[peer] else { return }
        counts[peer] = count > 1 ? count - 1 : nil
    }
}
