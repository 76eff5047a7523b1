import JSON
import Testing

@testable import Access

@Suite("AppleKeySet")
struct AppleKeySetTests {
    private static let signer = try? AppleSigner()

    @Test("keys are found by their ids")
    func reads() throws {
        let signer = try #require(Self.signer)
        let other = try signer.jwk(["kid": .string("key-2"), "use": nil, "alg": nil])
        let keys = try #require(AppleKeySet(AppleSigner.document([signer.jwk(), other])))
        #expect(keys["key-1"] != nil)
        #expect(keys["key-2"] != nil)
        #expect(keys["key-3"] == nil)
    }

    @Test("keys of other kinds and for other uses are passed over")
    func otherKinds() throws {
        let signer = try #require(Self.signer)
        let others: [[String: JSONValue?]] = [
            ["kty": .string("EC")], ["use": .string("enc")], ["alg": .string("RS512")], ["n": .string("AQAB")],
            ["n": nil], ["e": nil], ["e": .string("AQ")], ["n": .string("!!")], ["kid": nil], ["kid": .string("")],
        ]
        for changes in others {
            #expect(AppleKeySet(AppleSigner.document([try signer.jwk(changes)])) == nil, "\(changes)")
            let both = AppleSigner.document([try signer.jwk(changes), try signer.jwk(["kid": .string("good")])])
            #expect(try #require(AppleKeySet(both))["good"] != nil)
        }
    }

    @Test(
        "what is no key set is none",
        arguments: ["", "[]", "{}", #"{"keys":[]}"#, #"{"keys":{}}"#, #"{"keys":[1]}"#]
    )
    func malformed(text: String) {
        #expect(AppleKeySet(Array(text.utf8)) == nil)
    }

    @Test("a set of very many keys is refused")
    func tooMany() throws {
        let signer = try #require(Self.signer)
        let keys = try (0..<33).map { try signer.jwk(["kid": .string("k\($0)")]) }
        #expect(AppleKeySet(AppleSigner.document(keys)) == nil)
        #expect(AppleKeySet(AppleSigner.document(Array(keys.dropLast()))) != nil)
    }
}
