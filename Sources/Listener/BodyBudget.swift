internal import Workers

/// Whose request body it is. Bodies of one sender share what the sender may hold.
public struct BodySender: Hashable, Sendable {
    fileprivate let name: String
    fileprivate let isAnonymous: Bool

    /// A sender that has shown a credential; `name` tells it from others.
    public static func known(_ name: String) -> BodySender { BodySender(name: name, isAnonymous: false) }

    static func anonymous(peer: String) -> BodySender { BodySender(name: peer, isAnonymous: true) }
}

/// How many bytes of request bodies may be under way at once on a loop, and how many of one sender. Only bytes that
/// have come count. Loop thread only.
final class BodyBudget {
    /// Bodies of requests without a credential are small, and few.
    static let anonymousBytes = 1 << 20

    private var known: FairShare<BodySender>
    private var anonymous = FairShare<BodySender>(bytes: anonymousBytes, pieces: 4096)

    init(limit: Int) {
        known = FairShare(bytes: limit, pieces: .max)
    }

    /// nil: too much is under way. One body alone is let in whatever its length.
    func lease(_ bytes: Int, for sender: BodySender) -> BodyLease? {
        take(bytes, sender) ? BodyLease(self, sender, bytes) : nil
    }

    private func take(_ bytes: Int, _ sender: BodySender) -> Bool {
        sender.isAnonymous ? anonymous.take(bytes, from: sender) : known.take(bytes, from: sender)
    }

    fileprivate func grow(_ bytes: Int, _ sender: BodySender) -> Bool {
        sender.isAnonymous ? anonymous.grow(by: bytes, from: sender) : known.grow(by: bytes, from: sender)
    }

    fileprivate func giveBack(_ bytes: Int, _ sender: BodySender) {
        if sender.isAnonymous {
            anonymous.giveBack(bytes, to: sender)
        } else {
            known.giveBack(bytes, to: sender)
        }
    }
}

/// A body's part of the budget; given back when the last reference goes, so also with a connection that is lost.
final class BodyLease {
    private let budget: BodyBudget
    private let sender: BodySender
    private var bytes: Int

    fileprivate init(_ budget: BodyBudget, _ sender: BodySender, _ bytes: Int) {
        self.budget = budget
        self.sender = sender
        self.bytes = bytes
    }

    /// False: no room; nothing has changed.
    func grow(by more: Int) -> Bool {
        guard budget.grow(more, sender) else { return false }
        bytes += more
        return true
    }

    deinit { budget.giveBack(bytes, sender) }
}
