/// Decides when to open another connection: the first one for the first push, more only if all connections have been
/// full for some time. Apple may treat frequent closing and opening as an attack.
struct PoolPlan: Sendable {
    struct Member: Sendable {
        let room: Int
        let isProven: Bool
    }

    let maxConnections: Int
    /// Seconds.
    let growAfter: Double

    /// - Parameters:
    ///   - members: connections that accept pushes, or will when they have room.
    ///   - isOpening: whether a connection is being opened.
    ///   - oldestQueuedAt: `nil` if the queue is empty.
    /// - Returns: when to open a connection; `nil` if none is needed.
    func opening(
        members: [Member],
        isOpening: Bool,
        oldestQueuedAt: Double?,
        notBefore: Double
    ) -> Double? {
        guard let oldestQueuedAt, !isOpening else { return nil }
        if members.isEmpty { return notBefore }
        // A connection whose token is not proven yet will show whether another connection would work.
        guard members.count < maxConnections, members.allSatisfy({ $0.room == 0 && $0.isProven }) else { return nil }
        return max(notBefore, oldestQueuedAt + growAfter)
    }
}
