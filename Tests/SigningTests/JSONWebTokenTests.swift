import JSON
import Signing
import Testing

@Suite("JSONWebToken")
struct JSONWebTokenTests {
    @Test("a signed token can be read by its key alone")
    func roundTrip() throws {
        let key = try ES256PrivateKey.generate()
        let text = try JSONWebToken.sign(
            header: [("kid", .string("ABC123DEFG"))],
            claims: [("iss", .string("TEAM123456")), ("iat", .integer(1_700_000_000))],
            with: key
        )
        let token = try JSONWebToken(verifying: text, with: key.publicKey)
        #expect(token.header == .object([("alg", .string("ES256")), ("kid", .string("ABC123DEFG"))]))
        #expect(token.claims["iat"]?.integer == 1_700_000_000)
        let stranger = try ES256PrivateKey.generate().publicKey
        let error = #expect(throws: SigningError.self) { try JSONWebToken(verifying: text, with: stranger) }
        #expect(error?.code == .signatureMismatch)
    }

    /// RFC 7515 appendix A.3: the coordinates of the key are x and y of A.3.1.
    @Test("the example of the standard verifies")
    func standardExample() throws {
        let x = try #require(Base64URL.decode("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"))
        let y = try #require(Base64URL.decode("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"))
        let key = try ES256PublicKey(point: [4] + x + y)
        let text =
            "eyJhbGciOiJFUzI1NiJ9."
            + "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ."
            + "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
        #expect(try JSONWebToken(verifying: text, with: key).claims["iss"] == .string("joe"))
    }

    @Test("other forms are refused", arguments: ["", "a.b", "a.b.c", "e30.e30.", "e30.e30.AAAA", "W10.W10.AA.AA"])
    func refuses(text: String) throws {
        let key = try ES256PrivateKey.generate().publicKey
        let error = #expect(throws: SigningError.self) { try JSONWebToken(verifying: text, with: key) }
        #expect(error?.code == .malformedToken)
    }
}
