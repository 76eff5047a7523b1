import EventModel
import JSON
import Signing
import Testing

@testable import Access

@Suite("AppleTokenRules")
struct AppleIdentityTests {
    private static let signer = try? AppleSigner()
    private let signer: AppleSigner
    private let rules = AppleTokenRules(audiences: ["com.example.monitor", "com.example.web"])
    private let now = Timestamp(microseconds: 1_800_000_000_000_000)
    private let nonce = "cmn_the-nonce-of-this-attempt"

    init() throws {
        signer = try #require(Self.signer)
    }

    private func claims(_ changes: [String: JSONValue?] = [:]) -> JSONValue {
        AppleSigner.changed(
            [
                ("iss", .string("https://appleid.apple.com")), ("aud", .string("com.example.monitor")),
                ("sub", .string("001234.abcdef.0123")), ("iat", .integer(1_799_999_990)),
                ("exp", .integer(1_800_086_390)), ("nonce", .string(AppleTokenRules.claim(of: nonce))),
                ("email", .string("Someone@Example.com")), ("email_verified", .string("true")),
            ],
            changes
        )
    }

    private func identity(_ text: String, at time: Timestamp? = nil) throws -> AppleIdentity {
        try rules.identity(in: text, signedBy: signer.publicKey(), nonce: nonce, now: time ?? now)
    }

    private func refusal(_ changes: [String: JSONValue?]) throws -> AppleTokenError? {
        let text = try signer.token(claims: claims(changes))
        return #expect(throws: AppleTokenError.self) { try identity(text) }
    }

    @Test("a right token tells who it is")
    func accepted() throws {
        let text = try signer.token(claims: claims())
        #expect(
            try identity(text) == AppleIdentity(subject: "001234.abcdef.0123", verifiedEmail: "someone@example.com")
        )
        #expect(try identity(signer.token(claims: claims(["aud": .string("com.example.web")]))).subject.hasPrefix("00"))
    }

    @Test(
        "an e-mail counts only where Apple has verified it",
        arguments: [.bool(false), .string("false"), nil, .integer(1)] as [JSONValue?]
    )
    func unverifiedEmail(flag: JSONValue?) throws {
        #expect(try identity(signer.token(claims: claims(["email_verified": flag]))).verifiedEmail == nil)
    }

    @Test("an e-mail that is none does not count")
    func oddEmail() throws {
        for email in [JSONValue.string("nobody"), .string("a b@c"), .string(""), .integer(3)] {
            #expect(try identity(signer.token(claims: claims(["email": email]))).verifiedEmail == nil)
        }
    }

    @Test("claims that are not right are refused")
    func claimAttacks() throws {
        #expect(try refusal(["iss": .string("https://appleid.apple.com.evil.example")]) == .foreign)
        #expect(try refusal(["iss": nil]) == .foreign)
        #expect(try refusal(["aud": .string("com.example.other")]) == .foreign)
        #expect(try refusal(["aud": .array([.string("com.example.monitor")])]) == .foreign)
        #expect(try refusal(["exp": .integer(1_799_999_940)]) == .expired)
        #expect(try refusal(["exp": nil]) == .malformed)
        #expect(try refusal(["exp": .string("1800086390")]) == .malformed)
        #expect(try refusal(["exp": .integer(Int64.max)]) == .malformed)
        #expect(try refusal(["iat": .integer(1_800_000_061)]) == .notYetValid)
        #expect(try refusal(["nonce": nil]) == .wrongNonce)
        #expect(try refusal(["nonce": .string(nonce)]) == .wrongNonce)
        #expect(try refusal(["nonce": .string(AppleTokenRules.claim(of: "another"))]) == .wrongNonce)
        #expect(try refusal(["sub": nil]) == .malformed)
        #expect(try refusal(["sub": .string("")]) == .malformed)
        #expect(try refusal(["sub": .string("a\nb")]) == .malformed)
    }

    @Test("a clock a minute off is let through")
    func leeway() throws {
        #expect(throws: Never.self) { try identity(signer.token(claims: claims(["exp": .integer(1_799_999_941)]))) }
        #expect(throws: Never.self) { try identity(signer.token(claims: claims(["iat": .integer(1_800_000_060)]))) }
    }

    @Test("other keys, other algorithms and changed tokens are refused")
    func signatureAttacks() throws {
        let text = try signer.token(claims: claims())
        let parts = text.split(separator: ".").map(String.init)
        let changed = AppleSigner.encode(claims(["sub": .string("somebody.else")]))
        let stranger = try AppleSigner().token(claims: claims())
        for forged in [stranger, "\(parts[0]).\(changed).\(parts[2])", "\(parts[0]).\(parts[1])."] {
            let error = #expect(throws: AppleTokenError.self) { try identity(forged) }
            #expect(error == .notAuthentic)
        }
        let publicKey = try signer.jwk()
        let modulus = try #require(publicKey["n"]?.string.flatMap { Base64URL.decode($0) })
        var malformed = ["", "a.b.c", "\(parts[0]).\(parts[1])"]
        for algorithm in ["none", "None", "HS256", "ES256", "RS512", "PS256"] {
            let head = AppleSigner.encode(.object([("alg", .string(algorithm)), ("kid", .string("key-1"))]))
            let code = try Digest.hmacSHA256(key: modulus, Array("\(head).\(parts[1])".utf8))
            malformed += ["\(head).\(parts[1]).", "\(head).\(parts[1]).\(parts[2])"]
            malformed.append("\(head).\(parts[1]).\(Base64URL.encode(code))")
            malformed.append(try signer.token(header: ["alg": .string(algorithm)], claims: claims()))
        }
        malformed.append(try signer.token(header: ["crit": .array([.string("b64")])], claims: claims()))
        for forged in malformed {
            let error = #expect(throws: AppleTokenError.self) { try identity(forged) }
            #expect(error == .malformed, "\(forged.prefix(40))")
        }
    }

    /// `printf abc | sha256sum`
    @Test("the app hands Apple the SHA-256 of the nonce as hexadecimal text")
    func nonceClaim() {
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(AppleTokenRules.claim(of: "abc") == digest)
    }
}
