/// How many bytes of request bodies may be under way at once on a loop. Loop thread only.
final class BodyBudget {
    private let limit: Int
    fileprivate var used = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// `nil`: too much is under way. One body alone is let in whatever its length.
    func lease(_ bytes: Int) -> BodyLease? {
        guard used == 0 || used + bytes <= limit else { return nil }
        return BodyLease(self, bytes)
    }
}

/// A body's part of the budget; given back when the last reference goes, so also with a connection that is lost.
final class BodyLease {
    private let budget: BodyBudget
    private let bytes: Int

    fileprivate init(_ budget: BodyBudget, _ bytes: Int) {
        self.budget = budget
        self.bytes = bytes
        budget.used += bytes
    }

    deinit { budget.used -= bytes }
}
