internal import Workers

/// The sender of a request body. All bodies of one sender share its part of the budget.
public struct BodySender: Hashable, Sendable {
    fileprivate let name: String
    fileprivate let isAnonymous: Bool

    /// A sender with a credential. `name` identifies it.
    public static func known(_ name: String) -> BodySender { BodySender(name: name, isAnonymous: false) }

    static func anonymous(peer: String) -> BodySender { BodySender(name: peer, isAnonymous: true) }
}

/// Bounds the bytes of request bodies that a loop holds at once, together and for each sender. Only bytes that have
/// arrived count. Loop thread only.
final class BodyBudget {
    /// The limit for requests without a credential, whose bodies are small and few.
    static let anonymousBytes = 1 << 20

    private var known: FairShare<BodySender>
    private var anonymous = FairShare<BodySender>(bytes: anonymousBytes, pieces: 4096)

    init(limit: Int) {
        known = FairShare(bytes: limit, pieces: .max)
    }

    /// Returns nil if the budget is used up. Accepts a body of any length if it is the only one.
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

/// A body's part of the budget. It is returned when the last reference is released, also if the connection is lost.
final class BodyLease {
    private let budget: BodyBudget
    private let sender: BodySender
    private var bytes: Int

    fileprivate init(_ budget: BodyBudget, _ sender: BodySender, _ bytes: Int) {
        self.budget = budget
        self.sender = sender
        self.bytes = bytes
    }

    /// Returns false if there is no room; nothing is changed then.
    func grow(by more: Int) -> Bool {
        guard budget.grow(more, sender) else { return false }
        bytes += more
        return true
    }

    deinit { budget.giveBack(bytes, sender) }
}
