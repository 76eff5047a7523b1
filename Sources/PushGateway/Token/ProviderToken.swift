internal import EventModel
internal import JSON
public import Signing

/// A signed token that authenticates the provider to Apple. Secret for an hour.
/// https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns
struct ProviderToken: Sendable, Equatable {
    let text: String
    let mintedAt: Timestamp
}

/// The push key issued to a developer account.
public struct ProviderKey: Sendable {
    public let keyID: String
    public let teamID: String
    let key: ES256PrivateKey

    public init(keyID: String, teamID: String, key: ES256PrivateKey) {
        self.keyID = keyID
        self.teamID = teamID
        self.key = key
    }

    func mint(at now: Timestamp) throws(SigningError) -> ProviderToken {
        let text = try JSONWebToken.sign(
            header: [("kid", .string(keyID))],
            claims: [("iss", .string(teamID)), ("iat", .integer(now.microseconds / 1_000_000))],
            with: key
        )
        return ProviderToken(text: text, mintedAt: now)
    }
}

extension ProviderToken: CustomStringConvertible {
    var description: String { "provider token of \(mintedAt)" }
}

extension ProviderKey: CustomStringConvertible {
    public var description: String { "provider key \(keyID) of team \(teamID)" }
}
