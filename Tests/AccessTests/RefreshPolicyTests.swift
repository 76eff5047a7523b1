import Access
import EventModel
import Testing

@Suite("RefreshPolicy")
struct RefreshPolicyTests {
    private let now = Timestamp(microseconds: 1_800_000_000_000_000)
    private let policy = RefreshPolicy()

    private func decide(
        _ generation: Int64,
        of familyGeneration: Int64,
        rotated secondsAgo: Double = 3600,
        expiresIn: Double = 3600,
        isRevoked: Bool = false
    ) -> RefreshPolicy.Decision {
        policy.decide(
            RefreshPolicy.Situation(
                generation: generation,
                expiresAt: now.adding(seconds: expiresIn),
                familyGeneration: familyGeneration,
                rotatedAt: now.adding(seconds: -secondsAgo),
                isRevoked: isRevoked
            ),
            now: now
        )
    }

    @Test("the present token is replaced by the next")
    func rotate() {
        #expect(decide(1, of: 1) == .rotate)
        #expect(decide(7, of: 7, rotated: 0) == .rotate)
    }

    @Test("a lost answer is repeated for 20 seconds")
    func grace() {
        #expect(decide(1, of: 2, rotated: 0) == .repeatLostAnswer)
        #expect(decide(1, of: 2, rotated: 20) == .repeatLostAnswer)
        #expect(decide(1, of: 2, rotated: 20.001) == .revokeFamily)
    }

    @Test("once the answer was used there is no grace")
    func noGraceAfterUse() {
        #expect(decide(1, of: 3, rotated: 0) == .revokeFamily)
        #expect(decide(1, of: 300, rotated: 0) == .revokeFamily)
    }

    @Test("a used token is a sign of theft even when it has expired since")
    func expiredReuse() {
        #expect(decide(1, of: 2, expiresIn: -1) == .revokeFamily)
    }

    @Test("unknown, expired and revoked are refused without a change")
    func refused() {
        #expect(policy.decide(nil, now: now) == .refuse(.unknown))
        #expect(decide(1, of: 1, expiresIn: 0) == .refuse(.expired))
        #expect(decide(1, of: 1, isRevoked: true) == .refuse(.revoked))
        #expect(decide(1, of: 3, isRevoked: true) == .refuse(.revoked))
    }

    @Test("a node's clock a little behind still sees the lost answer; one far behind does not")
    func skew() {
        #expect(decide(1, of: 2, rotated: -5) == .repeatLostAnswer)
        #expect(decide(1, of: 2, rotated: -21) == .revokeFamily)
    }
}
