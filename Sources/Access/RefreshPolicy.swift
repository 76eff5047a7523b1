public import EventModel

/// What to do with a refresh token that is shown: RFC 9700 section 4.14.2, rotation with detection of reuse.
///
/// A family has a generation, and one token of it. Using that token begins the next generation; all older tokens are
/// used up or void. An answer can be lost on its way, so the token whose use began the present generation may ask again
/// for a short time after its first use: it begins another generation, and the token given before is void. So a family
/// has one token that works. Showing any other revokes the family: of two parties that hold copies of one token, one
/// shows a void token at its next refresh.
public struct RefreshPolicy: Sendable {
    /// A refresh token and its family as the database knows them.
    public struct Situation: Sendable, Equatable {
        public var generation: Int64
        public var expiresAt: Timestamp
        public var familyGeneration: Int64
        /// Generation of the token whose use began the family's generation.
        public var predecessor: Int64
        /// When that token was first used.
        public var rotatedAt: Timestamp
        /// The family or its device.
        public var isRevoked: Bool

        public init(
            generation: Int64,
            expiresAt: Timestamp,
            familyGeneration: Int64,
            predecessor: Int64,
            rotatedAt: Timestamp,
            isRevoked: Bool
        ) {
            self.generation = generation
            self.expiresAt = expiresAt
            self.familyGeneration = familyGeneration
            self.predecessor = predecessor
            self.rotatedAt = rotatedAt
            self.isRevoked = isRevoked
        }
    }

    public enum Decision: Sendable, Equatable {
        /// Begin the next generation.
        case rotate
        /// Begin the next generation once more for the same token: the one that was given for it before is void.
        case repeatLostAnswer
        /// Revoke the family: somebody else may hold its tokens.
        case revokeFamily
        case refuse(Refusal)
    }

    public enum Refusal: String, Sendable {
        case unknown
        case revoked
        case expired
    }

    /// Seconds in which an answer counts as lost.
    public var graceSeconds: Double

    public init(graceSeconds: Double = 20) {
        self.graceSeconds = graceSeconds
    }

    public func decide(_ situation: Situation?, now: Timestamp) -> Decision {
        guard let situation else { return .refuse(.unknown) }
        if situation.isRevoked { return .refuse(.revoked) }
        if situation.generation == situation.familyGeneration {
            return situation.expiresAt > now ? .rotate : .refuse(.expired)
        }
        let age = now.seconds(since: situation.rotatedAt)
        // Another node's clock may be a little ahead.
        let isLost = situation.generation == situation.predecessor && abs(age) <= graceSeconds
        return isLost ? .repeatLostAnswer : .revokeFamily
    }
}
