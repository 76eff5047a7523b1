internal import JSON
package import Signing

/// Apple's public keys by their ids: a JSON Web Key Set (RFC 7517 section 5).
package struct AppleKeySet: Sendable {
    /// Apple has about three.
    private static let maximumKeys = 32
    private let keys: [String: RS256PublicKey]

    /// Ignores keys of other types or for other uses. Returns `nil` if none is left or the document is not a key set.
    package init?(_ document: [UInt8]) {
        guard let json = try? JSONValue.parse(document, maxDepth: 8), let members = json["keys"]?.array,
            members.count <= AppleKeySet.maximumKeys
        else { return nil }
        var keys: [String: RS256PublicKey] = [:]
        for member in members {
            guard let keyID = member["kid"]?.string, !keyID.isEmpty, let key = AppleKeySet.key(member) else { continue }
            keys[keyID] = key
        }
        guard !keys.isEmpty else { return nil }
        self.keys = keys
    }

    package subscript(keyID: String) -> RS256PublicKey? { keys[keyID] }

    private static func key(_ json: JSONValue) -> RS256PublicKey? {
        guard json["kty"]?.string == "RSA", [nil, "sig"].contains(json["use"]?.string),
            [nil, "RS256"].contains(json["alg"]?.string),
            let modulus = json["n"]?.string.flatMap({ Base64URL.decode($0) }),
            let exponent = json["e"]?.string.flatMap({ Base64URL.decode($0) })
        else { return nil }
        return try? RS256PublicKey(modulus: modulus, exponent: exponent)
    }
}
