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
        after predecessor: Int64,
        validFrom: Int64? = nil,
        rotated secondsAgo: Double = 3600,
        expiresIn: Double = 3600,
        isRevoked: Bool = false
    ) -> RefreshPolicy.Decision {
        policy.decide(
            RefreshPolicy.Situation(
                generation: generation,
                expiresAt: now.adding(seconds: expiresIn),
                familyGeneration: familyGeneration,
                validFrom: validFrom ?? familyGeneration,
                predecessor: predecessor,
                rotatedAt: now.adding(seconds: -secondsAgo),
                isRevoked: isRevoked
            ),
            now: now
        )
    }

    @Test("the present token is replaced by the next")
    func rotate() {
        #expect(decide(1, of: 1, after: 0) == .rotate)
        #expect(decide(7, of: 7, after: 6, rotated: 0) == .rotate)
        #expect(decide(7, of: 7, after: 4, rotated: 0) == .rotate)
    }

    @Test("a lost answer is repeated for 20 seconds")
    func grace() {
        #expect(decide(1, of: 2, after: 1, rotated: 0) == .repeatLostAnswer)
        #expect(decide(1, of: 2, after: 1, rotated: 20) == .repeatLostAnswer)
        #expect(decide(1, of: 2, after: 1, rotated: 20.001) == .revokeFamily)
        #expect(decide(1, of: 5, after: 1, rotated: 20) == .repeatLostAnswer)
    }

    @Test("a browser's lost answer is repeated for a week")
    func graceOfBrowsers() {
        for (seconds, expected) in [(604_800.0, RefreshPolicy.Decision.repeatLostAnswer), (604_801, .revokeFamily)] {
            let situation = RefreshPolicy.Situation(
                generation: 1,
                expiresAt: now,
                familyGeneration: 2,
                validFrom: 2,
                predecessor: 1,
                rotatedAt: now.adding(seconds: -seconds),
                isRevoked: false
            )
            #expect(RefreshPolicy.ofBrowsers.decide(situation, now: now) == expected)
        }
    }

    @Test("once the answer was used there is no grace")
    func noGraceAfterUse() {
        #expect(decide(1, of: 3, after: 2, rotated: 0) == .revokeFamily)
        #expect(decide(1, of: 300, after: 299, rotated: 0) == .revokeFamily)
    }

    @Test("tokens that were issued for the same token are valid until one of them is used")
    func siblings() {
        for generation: Int64 in 2...4 { #expect(decide(generation, of: 4, after: 1, validFrom: 2) == .rotate) }
        #expect(decide(2, of: 4, after: 1, validFrom: 2, expiresIn: 0) == .refuse(.expired))
        for generation: Int64 in 2...4 where generation != 3 {
            #expect(decide(generation, of: 5, after: 3, validFrom: 5, rotated: 0) == .revokeFamily)
        }
    }

    @Test("a request that was given up may be carried out after the one that replaced it")
    func overtaken() {
        var family = Family()
        let kept = family.show(family.first, at: now)
        _ = family.show(family.first, at: now)
        let next = kept.flatMap { family.show($0, at: now.adding(seconds: 700)) }
        #expect(next != nil && !family.isRevoked)
    }

    @Test("a used token is a sign of theft even when it has expired since")
    func expiredReuse() {
        #expect(decide(1, of: 2, after: 1, expiresIn: -1) == .revokeFamily)
    }

    @Test("unknown, expired and revoked are refused without a change")
    func refused() {
        #expect(policy.decide(nil, now: now) == .refuse(.unknown))
        #expect(decide(1, of: 1, after: 0, expiresIn: 0) == .refuse(.expired))
        #expect(decide(1, of: 1, after: 0, isRevoked: true) == .refuse(.revoked))
        #expect(decide(1, of: 3, after: 2, isRevoked: true) == .refuse(.revoked))
    }

    @Test("a node's clock a little behind still sees the lost answer; one far behind does not")
    func skew() {
        #expect(decide(1, of: 2, after: 1, rotated: -5) == .repeatLostAnswer)
        #expect(decide(1, of: 2, after: 1, rotated: -21) == .revokeFamily)
    }

    @Test("two that hold one token are found out in each order of turns", arguments: [0.0, 1.0, 19.0, 21.0, 900.0])
    func thefts(secondsBetween: Double) {
        for turns in 0..<(1 << 8) {
            var family = Family()
            var held = [family.first, family.first]
            var shown = [0, 0]
            for turn in 0..<8 {
                let who = turns >> turn & 1
                if let token = family.show(held[who], at: now.adding(seconds: Double(turn) * secondsBetween)) {
                    held[who] = token
                }
                shown[who] += 1
                let isFoundOut = family.isRevoked
                // One of them has used a token that was issued for theirs: the next of the other tells.
                #expect(isFoundOut || shown.min() ?? 0 < 2, "\(String(turns, radix: 2)) turn \(turn)")
            }
        }
    }

    @Test("a client whose answers are lost goes on, whichever they are")
    func losses() {
        for losses in 0..<(1 << 10) {
            var family = Family()
            var held = family.first
            var time = now
            for attempt in 0..<10 {
                let isLost = losses >> attempt & 1 == 1
                let token = family.show(held, at: time)
                #expect(token != nil)
                if let token, !isLost { held = token }
                time = time.adding(seconds: isLost ? 2 : 700)
            }
            #expect(!family.isRevoked)
        }
    }
}

/// A family as the database keeps it, with the tokens that were given out as indices.
private struct Family {
    let first = 0
    private(set) var isRevoked = false
    private var generations: [Int64] = [1]
    private var generation: Int64 = 1
    private var validFrom: Int64 = 1
    private var predecessor: Int64 = 0
    private var rotatedAt = Timestamp(microseconds: 0)

    /// The token that is given for another; `nil`: none.
    mutating func show(_ token: Int, at time: Timestamp) -> Int? {
        let situation = RefreshPolicy.Situation(
            generation: generations[token],
            expiresAt: time.adding(seconds: 3600),
            familyGeneration: generation,
            validFrom: validFrom,
            predecessor: predecessor,
            rotatedAt: rotatedAt,
            isRevoked: isRevoked
        )
        switch RefreshPolicy().decide(situation, now: time) {
        case .rotate, .repeatLostAnswer:
            generation += 1
            if predecessor != generations[token] { (rotatedAt, validFrom) = (time, generation) }
            predecessor = generations[token]
            generations.append(generation)
            return generations.count - 1
        case .revokeFamily:
            isRevoked = true
            return nil
        case .refuse:
            return nil
        }
    }
}
