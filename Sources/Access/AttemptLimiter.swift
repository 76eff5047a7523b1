public import EventModel
public import HTTPModel
internal import Synchronization

/// Slows down guessing at endpoints that take no credential: per peer, and over all peers together. What cannot be
/// guessed is charged when it has failed; what can be guessed is charged before, and gets its charge back where it was
/// right: so nobody pays for success, and a guess is never free.
public final class AttemptLimiter: Sendable {
    private struct State {
        var everybody = CellRate()
        var peers: [String: CellRate] = [:]
        var sweptAt: Timestamp?
    }

    /// Peers remembered at once. Beyond it those with nothing against them are forgotten; if there are none, new peers
    /// are held only by the limit over all.
    private static let maximumPeers = 4096

    private let perPeer: RateLimit
    private let overAll: RateLimit?
    private let state = Mutex(State())

    /// - Parameter overAll: `nil`: no limit over all peers together.
    public init(perPeer: RateLimit, overAll: RateLimit?) {
        self.perPeer = perPeer
        self.overAll = overAll
    }

    /// 429 says when to try again. A peer that is refused by its own limit does not use up that of the others.
    public func take(peer: String, now: Timestamp) throws(APIError) {
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

    /// After an attempt that failed: `error`, or 429 where the peer has had too many of them.
    public func charge(_ error: APIError, peer: String, now: Timestamp) -> APIError {
        do throws(APIError) {
            try take(peer: peer, now: now)
            return error
        } catch {
            return error
        }
    }

    /// After an attempt that was taken and then succeeded.
    public func giveBack(peer: String) {
        state.withLock { state in
            state.peers[AttemptLimiter.key(of: peer)]?.giveBack(perPeer)
            if let overAll { state.everybody.giveBack(overAll) }
        }
    }

    /// Once a second at most, so that a crowd of new peers does not make every attempt a walk over all of them.
    private func sweep(_ state: inout State, now: Timestamp) {
        if let sweptAt = state.sweptAt, (0..<1).contains(now.seconds(since: sweptAt)) { return }
        state.sweptAt = now
        state.peers = state.peers.filter { $0.value.peek(perPeer, now: now).resetAfter > 0 }
    }

    /// An IPv6 network of 64 bits is one peer: its owner may take any address in it.
    static func key(of peer: String) -> String {
        guard peer.contains(":"), !peer.contains(".") else { return peer }
        let groups = peer.lowercased().split(separator: ":", omittingEmptySubsequences: false)
        let head = groups.prefix { !$0.isEmpty }
        let tail = groups.dropFirst(head.count).filter { !$0.isEmpty }
        let zeros = [Substring](repeating: "0", count: max(0, 8 - head.count - tail.count))
        return (head + zeros + tail).prefix(4).joined(separator: ":")
    }
}
