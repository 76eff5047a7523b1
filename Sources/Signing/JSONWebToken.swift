public import JSON

/// A compact JSON Web Token (RFC 7519) signed with ES256.
public struct JSONWebToken: Sendable, Equatable {
    /// Always holds `alg`.
    public let header: JSONValue
    public let claims: JSONValue

    /// - Parameter header: members beside `alg`, which is set here.
    public static func sign(
        header: [(String, JSONValue)] = [],
        claims: [(String, JSONValue)],
        with key: ES256PrivateKey
    ) throws(SigningError) -> String {
        let head = encode(.object([("alg", .string("ES256"))] + header))
        let input = head + "." + encode(.object(claims))
        return input + "." + Base64URL.encode(try key.sign(Array(input.utf8)))
    }

    /// Checks form, algorithm and signature; what the claims say is the caller's to judge.
    public init(verifying text: String, with key: ES256PublicKey) throws(SigningError) {
        let failure = SigningError(.malformedToken, "read a token")
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = JSONWebToken.decode(parts[0]), let claims = JSONWebToken.decode(parts[1]),
            header["alg"] == .string("ES256"), let signature = Base64URL.decode(parts[2])
        else { throw failure }
        let input = Array("\(parts[0]).\(parts[1])".utf8)
        guard try key.isValid(signature, of: input) else { throw SigningError(.signatureMismatch, "read a token") }
        self.header = header
        self.claims = claims
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
