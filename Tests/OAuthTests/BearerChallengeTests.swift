import HTTPClient
import Testing

@Suite struct BearerChallengeTests {
    @Test(arguments: [
        ("Bearer", BearerChallenge()),
        ("bearer  scope=\"a b\"", BearerChallenge(scope: "a b")),
        (
            #"Bearer resource_metadata="https://h/.well-known/x", scope="a""#,
            BearerChallenge(resourceMetadata: "https://h/.well-known/x", scope: "a")
        ),
        (#"Bearer error = "invalid_token" ,, scope = a"#, BearerChallenge(scope: "a", error: "invalid_token")),
        (#"Basic realm="x, Bearer scope=no", Bearer scope="yes""#, BearerChallenge(scope: "yes")),
        (#"Negotiate YWJj==, Bearer scope=s"#, BearerChallenge(scope: "s")),
        (#"Negotiate YWJj=, Bearer scope=s"#, BearerChallenge(scope: "s")),
        (#"Bearer scope="a \"quoted\" name""#, BearerChallenge(scope: #"a "quoted" name"#)),
        (#"BEARER SCOPE="first", scope="second""#, BearerChallenge(scope: "first")),
        (#"Bearer scope="s", DPoP scope="no""#, BearerChallenge(scope: "s")),
        (#"Bearer scope="without an end"#, BearerChallenge()),
    ])
    func reads(field: String, expected: BearerChallenge) {
        #expect(BearerChallenge([field]) == expected)
    }

    @Test(arguments: [[], [""], ["Basic realm=x"], [",,"], ["scope=x"], ["\u{1}Bearer"], ["Basic \"Bearer\""]])
    func findsNone(fields: [String]) {
        #expect(BearerChallenge(fields) == nil)
    }

    @Test func readsTheSecondField() {
        #expect(BearerChallenge(["Basic realm=x", "Bearer scope=y"]) == BearerChallenge(scope: "y"))
    }

    @Test func neverHangsOnHostileFields() {
        for field in [String(repeating: "=", count: 9000), String(repeating: "a=\"", count: 4000), "Bearer " + "\\\""] {
            _ = BearerChallenge([field])
        }
    }
}
