public import JSON

/// A compact JSON Web Token (RFC 7519). This server signs tokens with ES256, and verifies ES256 and RS256.
public struct JSONWebToken: Sendable, Equatable {
    /// Always contains `alg`.
    public let header: JSONValue
    public let claims: JSONValue

    /// - Parameter header: the members other than `alg`, which this function sets.
    public static func sign(
        header: [(String, JSONValue)] = [],
        claims: [(String, JSONValue)],
        with key: ES256PrivateKey
    ) throws(SigningError) -> String {
        let head = encode(.object([("alg", .string("ES256"))] + header))
        let input = head + "." + encode(.object(claims))
        return input + "." + Base64URL.encode(try key.sign(Array(input.utf8)))
    }

    /// Checks the form, algorithm and signature. The caller must check the claims.
    public init(verifying text: String, with key: ES256PublicKey) throws(SigningError) {
        let parts = try Parts(text, algorithm: "ES256")
        self = try parts.token(ifValid: key.isValid(parts.signature, of: parts.signed))
    }

    /// The same with RS256. The kind of key determines the algorithm, never the token.
    public init(verifying text: String, with key: RS256PublicKey) throws(SigningError) {
        let parts = try Parts(text, algorithm: "RS256")
        self = try parts.token(ifValid: key.isValid(parts.signature, of: parts.signed))
    }

    /// The `kid` in an RS256 token, for choosing the key. The token has not been verified yet.
    public static func unverifiedKeyID(ofRS256 text: String) throws(SigningError) -> String {
        guard let keyID = try Parts(text, algorithm: "RS256").header["kid"]?.string else {
            throw SigningError(.malformedToken, "read a token")
        }
        return keyID
    }

    private init(header: JSONValue, claims: JSONValue) {
        self.header = header
        self.claims = claims
    }

    /// The parts of a compact token. They have not been verified.
    private struct Parts {
        let header: JSONValue
        let claims: JSONValue
        let signature: [UInt8]
        let signed: [UInt8]

        init(_ text: String, algorithm: String) throws(SigningError) {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 3, let header = JSONWebToken.decode(parts[0]),
                let claims = JSONWebToken.decode(parts[1]), header["alg"] == .string(algorithm),
                let signature = Base64URL.decode(parts[2])
            else { throw SigningError(.malformedToken, "read a token") }
            (self.header, self.claims, self.signature) = (header, claims, signature)
            signed = Array("\(parts[0]).\(parts[1])".utf8)
        }

        func token(ifValid isValid: Bool) throws(SigningError) -> JSONWebToken {
            guard isValid else { throw SigningError(.signatureMismatch, "read a token") }
            return JSONWebToken(header: header, claims: claims)
        }
    }

    private static func encode(_ value: JSONValue) -> String {
        var writer = JSONWriter()
        writer.value(value)
        return Base64URL.encode(writer.bytes)
    }

    private static func decode(_ part: Substring) -> JSONValue? {
        guard let bytes = Base64URL.decode(part), let value = try? JSONValue.parse(bytes, maxDepth: 8) else {
            return nil
        }
        return value.isObject ? value : nil
    }
}
