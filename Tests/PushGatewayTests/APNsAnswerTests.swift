import EventModel
import HTTPClient
import Testing

@testable import PushGateway

@Suite("APNsAnswer")
struct APNsAnswerTests {
    private func answer(_ status: Int, _ body: String, _ fields: [(String, String)] = []) -> PushAnswer {
        var response = H2Response()
        response.status = status
        response.body = Array(body.utf8)
        response.fields = fields.map { (name: $0.0, value: $0.1) }
        return PushAnswer(apns: response)
    }

    @Test("reason, time and fields are read")
    func whole() {
        let answer = answer(
            410,
            #"{"reason":"Unregistered","timestamp":1700000000123}"#,
            [("apns-id", "x"), ("apns-unique-id", "y"), ("retry-after", "30")]
        )
        #expect(answer.reason == .unregistered)
        #expect(answer.timestamp == Timestamp(microseconds: 1_700_000_000_123_000))
        #expect(answer.apnsID == "x")
        #expect(answer.uniqueID == "y")
        #expect(answer.retryAfterSeconds == 30)
    }

    @Test(
        "what cannot be read is missing",
        arguments: [
            "", "{", "[]", "7", #"{"reason":7,"timestamp":"x"}"#, #"{"timestamp":9223372036854775807}"#,
            #"{"reason":"\#(String(repeating: "x", count: 65))"}"#,
        ]
    )
    func broken(body: String) {
        let answer = answer(410, body, [("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT")])
        #expect(answer == PushAnswer(status: 410))
    }

    @Test("a new reason is kept as text")
    func unknownReason() {
        let answer = answer(400, #"{"reason":"SomethingNew"}"#)
        #expect(answer.reason == nil)
        #expect(answer.reasonText == "SomethingNew")
    }
}
