package import EventModel
internal import JSON
package import Signing

/// Why an access token is rejected. Contains no part of the token.
package enum DeviceTokenError: Error, Sendable, Equatable {
    /// Not a compact ES256 token, or its claims have the wrong types.
    case malformed
    /// Signed with another key, or modified.
    case notAuthentic
    /// Issued for another service or purpose.
    case foreign
    case notYetValid
    case expired
}

/// Issues and verifies the access tokens of devices: JSON Web Tokens (RFC 7519) with ES256 only. They follow the
/// profile of RFC 9068 as far as it applies to one server that is both issuer and audience.
package struct DeviceTokens: Sendable {
    package static let lifetimeSeconds = 900.0
    /// Tolerance between the clocks of two nodes.
    package static let leewaySeconds = 60.0
    static let issuer = "claude-monitor"
    static let audience = "claude-monitor-api"
    static let type = "at+jwt"
    private static let sockets = "sockets_exp"

    private let key: ES256PrivateKey
    private let keyID: String

    package init(key: ES256PrivateKey) {
        self.key = key
        keyID = DeviceTokens.thumbprint(of: key.publicKey)
    }

    /// - Parameter socketsEndAt: the end of WebSockets that a ticket opens; `nil` if they end with the token.
    package func issue(
        for device: DeviceID,
        socketsEndAt: Timestamp? = nil,
        now: Timestamp
    ) throws(SigningError) -> (text: String, expiresAt: Timestamp) {
        let issuedAt = now.microseconds / 1_000_000
        let expiresAt = issuedAt + Int64(DeviceTokens.lifetimeSeconds)
        let sockets =
            socketsEndAt.map { [(DeviceTokens.sockets, JSONValue.integer($0.microseconds / 1_000_000))] } ?? []
        let text = try JSONWebToken.sign(
            header: [("typ", .string(DeviceTokens.type)), ("kid", .string(keyID))],
            claims: [
                ("iss", .string(DeviceTokens.issuer)), ("aud", .string(DeviceTokens.audience)),
                ("sub", .string(String(device.rawValue))), ("iat", .integer(issuedAt)), ("nbf", .integer(issuedAt)),
                ("exp", .integer(expiresAt)),
            ] + sockets,
            with: key
        )
        return (text, Timestamp(microseconds: expiresAt * 1_000_000))
    }

    package func verify(_ text: String, now: Timestamp) throws(DeviceTokenError) -> DeviceClaims {
        let token: JSONWebToken
        do throws(SigningError) {
            token = try JSONWebToken(verifying: text, with: key.publicKey)
        } catch {
            throw error.code == .signatureMismatch ? .notAuthentic : .malformed
        }
        guard token.header["kid"]?.string == keyID, token.header["typ"]?.string == DeviceTokens.type,
            token.header["crit"] == nil
        else { throw .foreign }
        return try DeviceTokens.check(token.claims, now: now)
    }

    private static func check(_ claims: JSONValue, now: Timestamp) throws(DeviceTokenError) -> DeviceClaims {
        guard claims["iss"]?.string == issuer, claims["aud"]?.string == audience else { throw .foreign }
        let times = 0...253_402_300_799 as ClosedRange<Int64>
        guard let expiry = claims["exp"]?.integer, let notBefore = claims["nbf"]?.integer,
            let issuedAt = claims["iat"]?.integer, [expiry, notBefore, issuedAt].allSatisfy(times.contains),
            let subject = claims["sub"]?.string, let device = Int64(subject), device > 0
        else { throw .malformed }
        let latestStart = now.adding(seconds: leewaySeconds)
        guard Timestamp(microseconds: notBefore * 1_000_000) <= latestStart,
            Timestamp(microseconds: issuedAt * 1_000_000) <= latestStart
        else { throw .notYetValid }
        let refusedFrom = Timestamp(microseconds: expiry * 1_000_000).adding(seconds: leewaySeconds)
        guard now < refusedFrom else { throw .expired }
        let socketsEndAt = claims[sockets]?.integer.flatMap { times.contains($0) ? $0 * 1_000_000 : nil }
        return DeviceClaims(
            device: DeviceID(rawValue: device),
            refusedFrom: refusedFrom,
            socketsEndAt: socketsEndAt.map(Timestamp.init(microseconds:))
        )
    }

    /// RFC 7638.
    static func thumbprint(of key: ES256PublicKey) -> String {
        let x = Base64URL.encode(key.point[1..<33])
        let y = Base64URL.encode(key.point[33..<65])
        return Base64URL.encode(Digest.sha256(Array(#"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#.utf8)))
    }
}
