package import EventModel

/// Decides what to do with a presented refresh token: RFC 9700 section 4.14.2, rotation with reuse detection.
///
/// Using a valid token starts the next generation; all older tokens are used or void. An answer can be lost, so the
/// token that was used last can be used again for a short time after its first use. Each repeat starts another
/// generation. The tokens that were issued for the same token are all valid until one of them is used: a request that
/// its client has given up may be carried out after the one that replaced it, and the client then holds the token of
/// the first answer. Presenting any other token revokes the family: if two parties hold copies of one token, one of
/// them presents a void token at its next refresh.
package struct RefreshPolicy: Sendable {
    /// A refresh token and its family, as read from the database.
    package struct Situation: Sendable, Equatable {
        package var generation: Int64
        package var expiresAt: Timestamp
        package var familyGeneration: Int64
        /// The lowest generation whose token is valid.
        package var validFrom: Int64
        /// Generation of the token that started the family's current generation.
        package var predecessor: Int64
        /// When that token was first used.
        package var rotatedAt: Timestamp
        /// The family or its device is revoked.
        package var isRevoked: Bool

        package init(
            generation: Int64,
            expiresAt: Timestamp,
            familyGeneration: Int64,
            validFrom: Int64,
            predecessor: Int64,
            rotatedAt: Timestamp,
            isRevoked: Bool
        ) {
            self.generation = generation
            self.expiresAt = expiresAt
            self.familyGeneration = familyGeneration
            self.validFrom = validFrom
            self.predecessor = predecessor
            self.rotatedAt = rotatedAt
            self.isRevoked = isRevoked
        }
    }

    package enum Decision: Sendable, Equatable {
        /// Begin the next generation.
        case rotate
        /// Start another generation for the same token. The tokens issued for it before stay valid.
        case repeatLostAnswer
        /// Revoke the family: another party may hold its tokens.
        case revokeFamily
        case refuse(Refusal)
    }

    package enum Refusal: String, Sendable {
        case unknown
        case revoked
        case expired
    }

    /// Seconds for which an answer may be assumed lost.
    package var graceSeconds: Double

    /// A browser that loses an answer may ask again only after days: the machine was asleep, or the page was closed.
    /// A copied token is detected in the same way as with a short grace.
    package static let ofBrowsers = RefreshPolicy(graceSeconds: 7 * 86_400)

    package init(graceSeconds: Double = 20) {
        self.graceSeconds = graceSeconds
    }

    package func decide(_ situation: Situation?, now: Timestamp) -> Decision {
        guard let situation else { return .refuse(.unknown) }
        if situation.isRevoked { return .refuse(.revoked) }
        if situation.validFrom...situation.familyGeneration ~= situation.generation {
            return situation.expiresAt > now ? .rotate : .refuse(.expired)
        }
        let age = now.seconds(since: situation.rotatedAt)
        // Another node's clock may be slightly ahead.
        let isLost = situation.generation == situation.predecessor && abs(age) <= graceSeconds
        return isLost ? .repeatLostAnswer : .revokeFamily
    }
}
