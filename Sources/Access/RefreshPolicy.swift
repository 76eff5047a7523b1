public import EventModel

/// What to do with a refresh token that is shown: RFC 9700 section 4.14.2, rotation with detection of reuse.
///
/// A family has a generation. Using a token of that generation begins the next one; all older tokens are used up. An
/// answer can be lost on its way, so the generation before may ask again for a short time: it gets another token of the
/// present generation, as long as none of that has been used. Whoever else holds the stolen one is found out when the
/// second of the two is used.
public struct RefreshPolicy: Sendable {
    /// A refresh token and its family as the database knows them.
    public struct Situation: Sendable, Equatable {
        public var generation: Int64
        public var expiresAt: Timestamp
        public var familyGeneration: Int64
        /// When the family's generation began.
        public var rotatedAt: Timestamp
        /// The family or its device.
        public var isRevoked: Bool

        public init(
            generation: Int64,
            expiresAt: Timestamp,
            familyGeneration: Int64,
            rotatedAt: Timestamp,
            isRevoked: Bool
        ) {
            self.generation = generation
            self.expiresAt = expiresAt
            self.familyGeneration = familyGeneration
            self.rotatedAt = rotatedAt
            self.isRevoked = isRevoked
        }
    }

    public enum Decision: Sendable, Equatable {
        /// Issue a token of the next generation.
        case rotate
        /// Issue one more token of the present generation.
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
        let isCurrent = situation.generation == situation.familyGeneration
        if isCurrent { return situation.expiresAt > now ? .rotate : .refuse(.expired) }
        let age = now.seconds(since: situation.rotatedAt)
        // Another node's clock may be a little ahead.
        let isLost = situation.generation + 1 == situation.familyGeneration && abs(age) <= graceSeconds
        return isLost ? .repeatLostAnswer : .revokeFamily
    }
}
