package import EventModel
internal import JSON
package import Signing

/// The identity in Apple's token.
package struct AppleIdentity: Sendable, Equatable {
    /// Apple's id of the person in this developer team. It never changes and is unique to the person.
    package var subject: String
    /// In lower case; `nil` unless Apple has verified it. It may be a relay address, and may change.
    package var verifiedEmail: String?

    package init(subject: String, verifiedEmail: String?) {
        self.subject = subject
        self.verifiedEmail = verifiedEmail
    }
}

/// Why an identity token is rejected. Contains no part of the token. Signing in again can only help with `expired`
/// and `wrongNonce`.
package enum AppleTokenError: String, Error, Sendable {
    /// Not a compact RS256 token, or its claims have the wrong types.
    case malformed
    /// Signed with another key, or modified.
    case notAuthentic = "not_authentic"
    /// From another issuer, or for another app.
    case foreign
    case expired
    case notYetValid = "not_yet_valid"
    /// Issued for another attempt.
    case wrongNonce = "wrong_nonce"
}

/// Verifies identity tokens of Sign in with Apple.
/// https://developer.apple.com/documentation/signinwithapple/verifying-a-user
package struct AppleTokenRules: Sendable {
    package static let issuer = "https://appleid.apple.com"
    /// Tolerance between Apple's clock and this one.
    static let leewaySeconds = 60.0
    /// Longer than any token that Apple issues.
    package static let maximumBytes = 8192

    /// Bundle and services ids of the apps whose tokens are accepted.
    private let audiences: Set<String>

    package init(audiences: Set<String>) {
        self.audiences = audiences
    }

    /// - Parameters:
    ///   - key: Apple's key with the id that the token names.
    ///   - nonce: the nonce of this attempt. The app passed its SHA-256 to Apple, as lower-case hexadecimal text, so
    ///     that an intercepted token cannot be used.
    package func identity(
        in text: String,
        signedBy key: RS256PublicKey,
        nonce: String,
        now: Timestamp
    ) throws(AppleTokenError) -> AppleIdentity {
        let token: JSONWebToken
        do throws(SigningError) {
            token = try JSONWebToken(verifying: text, with: key)
        } catch {
            throw error.code == .signatureMismatch ? .notAuthentic : .malformed
        }
        guard token.header["crit"] == nil else { throw .malformed }
        return try identity(claiming: token.claims, nonce: nonce, now: now)
    }

    /// The remaining checks, after the signature has been verified.
    func identity(claiming claims: JSONValue, nonce: String, now: Timestamp) throws(AppleTokenError) -> AppleIdentity {
        guard claims["iss"]?.string == AppleTokenRules.issuer, let audience = claims["aud"]?.string,
            audiences.contains(audience)
        else { throw .foreign }
        try AppleTokenRules.checkTimes(claims, now: now)
        guard claims["nonce"]?.string == AppleTokenRules.claim(of: nonce) else { throw .wrongNonce }
        guard let subject = claims["sub"]?.string, AppleTokenRules.isPlain(subject, atMost: 255) else {
            throw .malformed
        }
        return AppleIdentity(subject: subject, verifiedEmail: AppleTokenRules.verifiedEmail(claims))
    }

    /// The value of the nonce claim in a token issued for this nonce.
    static func claim(of nonce: String) -> String {
        Hex.encode(Digest.sha256(Array(nonce.utf8)))
    }

    private static func checkTimes(_ claims: JSONValue, now: Timestamp) throws(AppleTokenError) {
        let times = 0...253_402_300_799 as ClosedRange<Int64>
        guard let expiry = claims["exp"]?.integer, let issuedAt = claims["iat"]?.integer, times.contains(expiry),
            times.contains(issuedAt)
        else { throw .malformed }
        guard Timestamp(microseconds: issuedAt * 1_000_000) <= now.adding(seconds: leewaySeconds) else {
            throw .notYetValid
        }
        guard now < Timestamp(microseconds: expiry * 1_000_000).adding(seconds: leewaySeconds) else { throw .expired }
    }

    /// Apple sends the flag as a boolean or as a string.
    private static func verifiedEmail(_ claims: JSONValue) -> String? {
        let flag = claims["email_verified"]
        guard flag?.bool == true || flag?.string == "true", let email = claims["email"]?.string,
            isPlain(email, atMost: 254), email.contains("@")
        else { return nil }
        return email.lowercased()
    }

    private static func isPlain(_ text: String, atMost limit: Int) -> Bool {
        (1...limit).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
