/// When another connection is opened: the first for the first push, more only when all are full for a while. Closing
/// and opening often looks like an attack to Apple.
struct PoolPlan: Sendable {
    struct Member: Sendable {
        let room: Int
        let isProven: Bool
    }

    let maxConnections: Int
    /// Seconds.
    let growAfter: Double

    /// - Parameters:
    ///   - members: connections that take pushes, or will once they are free.
    ///   - isOpening: one is being made already.
    ///   - oldestQueuedAt: `nil`: nothing waits.
    /// - Returns: when to open one; `nil`: there is no reason to.
    func opening(
        members: [Member],
        isOpening: Bool,
        oldestQueuedAt: Double?,
        notBefore: Double
    ) -> Double? {
        guard let oldestQueuedAt, !isOpening else { return nil }
        if members.isEmpty { return notBefore }
        // One that is still to prove its token says whether another would do any better.
        guard members.count < maxConnections, members.allSatisfy({ $0.room == 0 && $0.isProven }) else { return nil }
        return max(notBefore, oldestQueuedAt + growAfter)
    }
}
