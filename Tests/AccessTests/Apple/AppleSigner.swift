import COpenSSL
import JSON
import Signing

/// Stands in for Apple: an RSA key that signs, and its entry in a key set.
///
/// Sendable because the key is never changed after `init`, and libcrypto allows concurrent use of such a key.
final class AppleSigner: @unchecked Sendable {
    struct Failure: Error {}

    let keyID: String
    private let handle: OpaquePointer

    init(keyID: String = "key-1", bits: Int32 = 2048) throws {
        self.keyID = keyID
        guard let context = EVP_PKEY_CTX_new_from_name(nil, "RSA", nil) else { throw Failure() }
        defer { EVP_PKEY_CTX_free(context) }
        var handle: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_rsa_keygen_bits(context, bits) == 1,
            EVP_PKEY_generate(context, &handle) == 1, let handle
        else { throw Failure() }
        self.handle = handle
    }

    deinit {
        EVP_PKEY_free(handle)
    }

    /// An entry of a key set; `changes` replace members or, with nil, take them away.
    func jwk(_ changes: [String: JSONValue?] = [:]) throws -> JSONValue {
        let members: [(String, JSONValue)] = [
            ("kty", .string("RSA")), ("kid", .string(keyID)), ("use", .string("sig")), ("alg", .string("RS256")),
            ("n", .string(Base64URL.encode(try number("n")))), ("e", .string(Base64URL.encode(try number("e")))),
        ]
        return Self.changed(members, changes)
    }

    func publicKey() throws -> RS256PublicKey { try RS256PublicKey(modulus: number("n"), exponent: number("e")) }

    /// A token with these members; its signature is right whatever the header says.
    func token(header: [String: JSONValue?] = [:], claims: JSONValue) throws -> String {
        let head = Self.changed([("kid", .string(keyID)), ("alg", .string("RS256"))], header)
        let input = Self.encode(head) + "." + Self.encode(claims)
        return input + "." + Base64URL.encode(try sign(Array(input.utf8)))
    }

    static func changed(_ members: [(String, JSONValue)], _ changes: [String: JSONValue?]) -> JSONValue {
        let kept = members.filter { !changes.keys.contains($0.0) }
        return .object(kept + changes.compactMap { name, value in value.map { (name, $0) } })
    }

    static func encode(_ value: JSONValue) -> String {
        var writer = JSONWriter()
        writer.value(value)
        return Base64URL.encode(writer.bytes)
    }

    static func document(_ keys: [JSONValue]) -> [UInt8] {
        var writer = JSONWriter()
        writer.value(.object([("keys", .array(keys))]))
        return writer.bytes
    }

    private func sign(_ message: [UInt8]) throws -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { throw Failure() }
        defer { EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: Int(EVP_PKEY_get_size(handle)))
        var length = signature.count
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, handle) == 1,
            EVP_DigestSign(context, &signature, &length, message, message.count) == 1
        else { throw Failure() }
        return Array(signature.prefix(length))
    }

    /// A parameter of the key, big-endian.
    private func number(_ name: String) throws -> [UInt8] {
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(handle, name, &number) == 1 else { throw Failure() }
        defer { BN_free(number) }
        var bytes = [UInt8](repeating: 0, count: Int(BN_num_bits(number) + 7) / 8)
        BN_bn2bin(number, &bytes)
        return bytes
    }
}
