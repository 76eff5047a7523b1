package import EventModel
package import HTTPModel
internal import Synchronization

/// Slows down guessing at endpoints without authentication: per peer, and over all peers. An attempt with an
/// unguessable secret is charged after it failed. An attempt with a guessable secret is charged in advance and
/// refunded on success. So success costs nothing, and a guess is never free.
package final class AttemptLimiter: Sendable {
    private struct State {
        var everybody = CellRate()
        var peers: [String: CellRate] = [:]
        var sweptAt: Timestamp?
    }

    /// Maximum number of peers kept. Beyond it, peers without a charge are evicted. If there are none, only the limit
    /// over all peers applies to new ones.
    private static let maximumPeers = 4096

    private let perPeer: RateLimit
    private let overAll: RateLimit?
    private let state = Mutex(State())

    /// - Parameter overAll: `nil` means no limit over all peers.
    package init(perPeer: RateLimit, overAll: RateLimit?) {
        self.perPeer = perPeer
        self.overAll = overAll
    }

    /// Throws 429 with the time to wait. A peer that exceeds its own limit does not use up the shared one.
    package func take(peer: String, now: Timestamp) throws(APIError) {
        let verdict: RateVerdict? = state.withLock { state in
            let key = AttemptLimiter.key(of: peer)
            if state.peers.count >= AttemptLimiter.maximumPeers { sweep(&state, now: now) }
            if state.peers[key] != nil || state.peers.count < AttemptLimiter.maximumPeers {
                let verdict = state.peers[key, default: CellRate()].take(perPeer, now: now)
                if verdict.retryAfter != nil { return verdict }
            }
            return overAll.map { state.everybody.take($0, now: now) }
        }
        guard let retryAfter = verdict?.retryAfter else { return }
        throw APIError(
            .rateLimit,
            status: 429,
            code: "too_many_attempts",
            message: "Too many attempts. Wait before the next one.",
            retryAfter: max(1, Int(retryAfter.rounded(.up)))
        )
    }

    /// Call after a failed attempt. Returns `error`, or 429 if the peer has failed too often.
    package func charge(_ error: APIError, peer: String, now: Timestamp) -> APIError {
        do throws(APIError) {
            try take(peer: peer, now: now)
            return error
        } catch {
            return error
        }
    }

    /// Refunds an attempt that was charged in advance and succeeded.
    package func giveBack(peer: String) {
        state.withLock { state in
            state.peers[AttemptLimiter.key(of: peer)]?.giveBack(perPeer)
            if let overAll { state.everybody.giveBack(overAll) }
        }
    }

    /// Runs at most once a second, so that many new peers do not make every attempt scan all of them.
    private func sweep(_ state: inout State, now: Timestamp) {
        if let sweptAt = state.sweptAt, (0..<1).contains(now.seconds(since: sweptAt)) { return }
        state.sweptAt = now
        state.peers = state.peers.filter { $0.value.peek(perPeer, now: now).resetAfter > 0 }
    }

    /// An IPv6 /64 network counts as one peer: its owner may use any address in it.
    static func key(of peer: String) -> String {
        guard peer.contains(":"), !peer.contains(".") else { return peer }
        let groups = peer.lowercased().split(separator: ":", omittingEmptySubsequences: false)
        let head = groups.prefix { !$0.isEmpty }
        let tail = groups.dropFirst(head.count).filter { !$0.isEmpty }
        let zeros = [Substring](repeating: "0", count: max(0, 8 - head.count - tail.count))
        return (head + zeros + tail).prefix(4).joined(separator: ":")
    }
}
