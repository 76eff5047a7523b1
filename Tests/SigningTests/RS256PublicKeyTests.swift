import JSON
import Signing
import Testing

@Suite("RS256PublicKey")
struct RS256PublicKeyTests {
    /// RFC 7515 appendix A.2: modulus of A.2.1, token of A.2.2.
    private static let modulus =
        "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yR"
        + "T-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXB"
        + "dQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9ia"
        + "GNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"
    private static let signed =
        "eyJhbGciOiJSUzI1NiJ9."
        + "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    private static let signature =
        "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9"
        + "uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB"
        + "_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rq"
        + "Vt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"

    private func bytes(_ text: String) throws -> [UInt8] { try #require(Base64URL.decode(text)) }

    private func key() throws -> RS256PublicKey {
        try RS256PublicKey(modulus: bytes(Self.modulus), exponent: bytes("AQAB"))
    }

    @Test("the example of the standard verifies, and nothing else does")
    func standardExample() throws {
        let key = try key()
        let token = try JSONWebToken(verifying: Self.signed + "." + Self.signature, with: key)
        #expect(token.claims["iss"] == .string("joe"))
        let message = Array(Self.signed.utf8)
        var other = try bytes(Self.signature)
        #expect(try key.isValid(other, of: message))
        #expect(try !key.isValid(other, of: message + [0]))
        other[17] ^= 1
        #expect(try !key.isValid(other, of: message))
        #expect(try !key.isValid([], of: message))
        #expect(try !key.isValid([UInt8](repeating: 0, count: 256), of: message))
    }

    @Test("zeros in front of the modulus do not count")
    func paddedModulus() throws {
        let key = try RS256PublicKey(modulus: [0, 0] + bytes(Self.modulus), exponent: [0, 1, 0, 1])
        #expect(try key.isValid(bytes(Self.signature), of: Array(Self.signed.utf8)))
    }

    @Test("keys that are too short, even or without an exponent are refused")
    func weakKeys() throws {
        let modulus = try bytes(Self.modulus)
        let even = modulus.dropLast() + [modulus[modulus.count - 1] & 0xFE]
        let keys: [(modulus: [UInt8], exponent: [UInt8])] = [
            (Array(modulus.suffix(128)), [1, 0, 1]), ([UInt8](repeating: 0xFF, count: 1025), [1, 0, 1]),
            (Array(even), [1, 0, 1]), (modulus, []), (modulus, [1]), (modulus, [2]), (modulus, [1, 0, 0, 0, 1]),
            ([], [3]),
        ]
        for (modulus, exponent) in keys {
            let error = #expect(throws: SigningError.self) { try RS256PublicKey(modulus: modulus, exponent: exponent) }
            #expect(error?.code == .malformedPublicKey)
        }
    }

    @Test("the kind of the key says what a token must be signed with")
    func algorithmIsTheKeys() throws {
        let key = try ES256PrivateKey.generate()
        let text = try JSONWebToken.sign(header: [("kid", .string("a"))], claims: [], with: key)
        let error = #expect(throws: SigningError.self) { try JSONWebToken(verifying: text, with: self.key()) }
        #expect(error?.code == .malformedToken)
        #expect(throws: SigningError.self) { try JSONWebToken.unverifiedKeyID(ofRS256: text) }
        let other = #expect(throws: SigningError.self) {
            try JSONWebToken(verifying: Self.signed + "." + Self.signature, with: key.publicKey)
        }
        #expect(other?.code == .malformedToken)
    }
}
