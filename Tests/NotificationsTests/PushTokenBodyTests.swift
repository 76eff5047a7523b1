import EventModel
import HTTPModel
import JSON
import Signing
import Testing

@testable import Notifications

@Suite struct PushTokenBodyTests {
    private func token(_ body: String) throws -> NewPushToken {
        try PushTokenBody(JSONValue.parse(Array(body.utf8))).token()
    }

    private func fault(_ body: String) -> String? {
        do {
            _ = try token(body)
            return nil
        } catch {
            return (error as? APIError)?.param
        }
    }

    @Test func anAppsTokenIsReadInLowerCaseWithItsDigest() throws {
        let token = try token(#"{"token":"ABCD","environment":"sandbox","time_zone":"Europe/Berlin","locale":""}"#)
        #expect(token.kind == .alert && token.token == "abcd" && token.environment == .development)
        #expect(token.sha256 == Digest.sha256(Array("abcd".utf8)))
        #expect(token.timeZone == "Europe/Berlin" && token.locale == nil && token.keys == nil)
    }

    @Test func aBrowsersSubscriptionHasNoEnvironment() throws {
        let token = try token(
            #"{"kind":"webpush","endpoint":"https://push.example/x","keys":{"p256dh":"a","auth":"b"}}"#
        )
        #expect(token.environment == nil && token.token == "https://push.example/x")
        #expect(token.keys == NewPushToken.BrowserKeys(p256dh: "a", auth: "b"))
    }

    @Test func whatIsWrongIsNamed() {
        #expect(fault(#"{"token":"abc","environment":"production"}"#) == "token")
        #expect(fault(#"{"token":"xy","environment":"production"}"#) == "token")
        #expect(fault(#"{"token":"abcd"}"#) == "environment")
        #expect(fault(#"{"kind":"fax","token":"abcd","environment":"production"}"#) == "kind")
        #expect(fault(#"{"kind":"webpush","endpoint":"http://push.example/x"}"#) == "endpoint")
        #expect(fault(#"{"kind":"webpush","endpoint":"https://push.example/x"}"#) == "keys")
        #expect(fault(#"{"kind":"activity_update","token":"ab","environment":"production"}"#) == "session_id")
        #expect(fault(#"{"token":"ab","environment":"production","encryption_key":"AAAA"}"#) == "encryption_key")
        #expect(fault(#"{"token":"ab","environment":"production","locale":"a b"}"#) == "locale")
    }
}
