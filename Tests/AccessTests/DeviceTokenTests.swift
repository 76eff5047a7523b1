import EventModel
import JSON
import Signing
import Testing

@testable import Access

@Suite("DeviceTokens")
struct DeviceTokenTests {
    private let key: ES256PrivateKey
    private let tokens: DeviceTokens
    private let now = Timestamp(microseconds: 1_800_000_000_000_000)
    private let device = DeviceID(rawValue: 42)

    init() throws {
        key = try ES256PrivateKey.generate()
        tokens = DeviceTokens(key: key)
    }

    private func refusal(_ text: String, at time: Timestamp? = nil) -> DeviceTokenError? {
        #expect(throws: DeviceTokenError.self) { try tokens.verify(text, now: time ?? now) }
    }

    /// A token that is right but for the given members; a nil value leaves the member out.
    private func forged(
        header: [String: JSONValue?] = [:],
        claims: [String: JSONValue?] = [:],
        by key: ES256PrivateKey? = nil
    ) throws -> String {
        let model = try JSONWebToken(verifying: tokens.issue(for: device, now: now).text, with: self.key.publicKey)
        func members(_ value: JSONValue, _ changes: [String: JSONValue?]) -> [(String, JSONValue)] {
            guard case .object(let members) = value else { return [] }
            let kept = members.filter { !changes.keys.contains($0.0) && $0.0 != "alg" }.map { ($0.0, $0.1) }
            return kept + changes.compactMap { name, value in value.map { (name, $0) } }
        }
        return try JSONWebToken.sign(
            header: members(model.header, header),
            claims: members(model.claims, claims),
            with: key ?? self.key
        )
    }

    private func unsigned(header: String, claims: String, signature: String = "") -> String {
        Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(claims.utf8)) + "." + signature
    }

    @Test("an issued token names its device until its leeway is over")
    func accepted() throws {
        let (text, expiresAt) = try tokens.issue(for: device, now: now)
        #expect(expiresAt == now.adding(seconds: 900))
        let claims = try tokens.verify(text, now: now)
        #expect(claims.device == device)
        #expect(claims.refusedFrom == expiresAt.adding(seconds: 60))
        #expect(try tokens.verify(text, now: expiresAt.adding(seconds: 59.9)).device == device)
        #expect(refusal(text, at: expiresAt.adding(seconds: 60)) == .expired)
    }

    @Test("the forged tokens of these tests are right where nothing is changed")
    func forgeryWorks() throws {
        #expect(try tokens.verify(forged(), now: now).device == device)
    }

    @Test("another server's clock may be a minute ahead, and no more")
    func skew() throws {
        let (text, _) = try tokens.issue(for: device, now: now)
        #expect(try tokens.verify(text, now: now.adding(seconds: -60)).device == device)
        #expect(refusal(text, at: now.adding(seconds: -61)) == .notYetValid)
        let later = JSONValue.integer(1_800_000_061)
        #expect(try refusal(forged(claims: ["nbf": later])) == .notYetValid)
        #expect(try refusal(forged(claims: ["iat": later])) == .notYetValid)
    }

    @Test("alg none, with and without a signature")
    func algorithmNone() throws {
        let claims = #"{"iss":"claude-monitor","aud":"claude-monitor-api","sub":"42","iat":1,"nbf":1,"exp":9999999999}"#
        for name in ["none", "None", "NONE", ""] {
            #expect(refusal(unsigned(header: #"{"alg":"\#(name)","typ":"at+jwt"}"#, claims: claims)) == .malformed)
        }
        let parts = try tokens.issue(for: device, now: now).text.split(separator: ".")
        let bare = unsigned(header: #"{"alg":"none"}"#, claims: claims, signature: String(parts[2]))
        #expect(refusal(bare) == .malformed)
    }

    @Test("HS256 keyed with the public key")
    func algorithmConfusion() throws {
        let claims = #"{"iss":"claude-monitor","aud":"claude-monitor-api","sub":"42","iat":1,"nbf":1,"exp":9999999999}"#
        let input = unsigned(header: #"{"alg":"HS256","typ":"at+jwt"}"#, claims: claims).dropLast()
        let code = try Digest.hmacSHA256(key: key.publicKey.point, Array(input.utf8))
        #expect(refusal("\(input).\(Base64URL.encode(code))") == .malformed)
    }

    @Test("another key, also under this key's id")
    func otherKey() throws {
        let stranger = try ES256PrivateKey.generate()
        #expect(try refusal(DeviceTokens(key: stranger).issue(for: device, now: now).text) == .notAuthentic)
        #expect(try refusal(forged(by: stranger)) == .notAuthentic)
    }

    @Test(
        "another issuer, audience, type or key id, or an extension that must be understood",
        arguments: [
            (["kid": "other"], [:]), (["kid": nil], [:]), (["typ": "JWT"], [:]), (["typ": nil], [:]),
            (["crit": "exp"], [:]), ([:], ["iss": "https://example.com"]), ([:], ["iss": nil]),
            ([:], ["aud": "other"]), ([:], ["aud": nil]),
        ] as [([String: String?], [String: String?])]
    )
    func foreign(header: [String: String?], claims: [String: String?]) throws {
        let text = try forged(
            header: header.mapValues { $0.map { .string($0) } },
            claims: claims.mapValues { $0.map { .string($0) } }
        )
        #expect(refusal(text) == .foreign)
    }

    @Test("times that are missing, no numbers or beyond all bounds; subjects that are no device")
    func claimTypes() throws {
        for name in ["exp", "nbf", "iat"] {
            #expect(try refusal(forged(claims: [name: JSONValue?.none])) == .malformed)
            #expect(try refusal(forged(claims: [name: .string("1800000000")])) == .malformed)
            #expect(try refusal(forged(claims: [name: .integer(.max)])) == .malformed)
            #expect(try refusal(forged(claims: [name: .integer(-1)])) == .malformed)
        }
        for subject in [nil, .string("admin"), .string("0"), .string("-1"), .integer(42), .string("")] as [JSONValue?] {
            #expect(try refusal(forged(claims: ["sub": subject])) == .malformed)
        }
    }

    @Test("cut anywhere, or with any character changed, it is refused")
    func damaged() throws {
        let text = try tokens.issue(for: device, now: now).text
        for length in stride(from: 0, to: text.utf8.count, by: 3) {
            #expect(refusal(String(text.prefix(length))) != nil)
        }
        #expect(refusal(text + ".x") == .malformed)
        for position in stride(from: 0, to: text.utf8.count, by: 5) {
            var bytes = Array(text.utf8)
            bytes[position] = bytes[position] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(refusal(String(decoding: bytes, as: UTF8.self)) != nil)
        }
    }

    @Test("a ticket of a browser opens a socket that outlives the token")
    func sockets() throws {
        let end = Timestamp(microseconds: now.microseconds / 1_000_000 * 1_000_000).adding(seconds: 86_400)
        let claims = try tokens.verify(tokens.issue(for: device, socketsEndAt: end, now: now).text, now: now)
        #expect(claims.socketsEndAt == end)
        #expect(claims.refusedFrom < end)
        let tickets = try DeviceTickets(key: key)
        let ticket = try tickets.verify(Substring(tickets.issue(for: claims, now: now)), now: now)
        #expect(ticket?.claims.refusedFrom == end)
        let plain = try tokens.verify(tokens.issue(for: device, now: now).text, now: now)
        #expect(plain.socketsEndAt == nil)
    }
}
