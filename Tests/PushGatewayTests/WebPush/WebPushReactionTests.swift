import Testing

@testable import PushGateway

@Suite("WebPushReaction")
struct WebPushReactionTests {
    struct Row: Sendable {
        var status: Int
        var body: String
        var expected: PushReaction

        init(
            _ status: Int,
            _ body: String = "",
            _ retry: PushRetry = .never,
            _ subscription: PushReaction.Token = .keep,
            connection: PushConnectionVerdict = .keep,
            fault: PushReaction.Fault? = nil
        ) {
            self.status = status
            self.body = body
            var expected = PushReaction()
            expected.retry = retry
            expected.token = subscription
            expected.connection = connection
            expected.fault = fault
            self.expected = expected
        }
    }

    static let refusals: [Row] = [
        Row(301, fault: .unexpected), Row(307, fault: .unexpected),
        Row(400, fault: .request), Row(400, #"{"reason":"BadWebPushTopic"}"#, fault: .request),
        Row(400, #"{"reason":"VapidPkHashMismatch"}"#, .never, .quarantine, fault: .key),
        Row(401, #"{"code":401,"errno":109,"message":"Invalid bearer token"}"#, fault: .key),
        Row(403, #"{"reason":"BadJwtToken"}"#, fault: .key), Row(403, fault: .key),
        Row(403, #"{"reason":"VapidPkHashMismatch"}"#, .never, .quarantine, fault: .key),
        Row(
            403,
            "the key in the authorization header do not correspond to the credentials used to subscribe",
            .never,
            .quarantine,
            fault: .key
        ),
        Row(404, "", .never, .drop), Row(410, "", .never, .drop),
        Row(410, #"{"reason":"ExpiredSubscription"}"#, .never, .drop),
        Row(406, "", .backOff(from: 60)), Row(408, "", .backOff(from: 60)), Row(425, "", .backOff(from: 60)),
        Row(413, "", .onceSmaller, fault: .payload),
        Row(418, fault: .request),
        Row(421, "", .onceElsewhere, connection: .retire),
        Row(429, "", .backOff(from: 60)),
        Row(500, "", .backOff(from: 5)), Row(502, "", .backOff(from: 5)), Row(503, "", .backOff(from: 5)),
    ]

    @Test("every row of the table, as it is told over the network", arguments: refusals)
    func overNetwork(row: Row) async throws {
        let fixture = try WebPushFixture([WebPushFixture.script { _ in [.answer(row.status, body: row.body)] }])
        let rejection = try await fixture.push().rejection
        #expect(rejection?.answer.status == row.status)
        #expect(rejection?.reaction == row.expected)
        // Nothing is repeated here but what is safe at once.
        #expect(fixture.mock.record.requests.count == (row.expected.retry == .onceElsewhere ? 2 : 1))
    }

    @Test("whatever succeeds is success", arguments: [200, 201, 202, 204])
    func accepted(status: Int) async throws {
        let fixture = try WebPushFixture([WebPushFixture.script { _ in [.answer(status)] }])
        #expect(try await fixture.push() == .accepted(PushAnswer(status: status)))
        #expect(PushReaction.webPush(status: status).token == .confirmed)
    }

    @Test("Retry-After says how long to wait; what is no number of seconds counts as none")
    func retryAfter() async throws {
        let none: [Int: PushRetry] = [429: .backOff(from: 60), 503: .backOff(from: 5)]
        let rows: [(String, PushRetry?)] = [
            ("0", .after(seconds: 0)), ("59", .after(seconds: 59)), ("120", .after(seconds: 120)), ("-5", nil),
            ("Sun, 06 Nov 1994 08:49:37 GMT", nil),
        ]
        for (field, expected) in rows {
            for status in [429, 503] {
                let fixture = try WebPushFixture([
                    WebPushFixture.script { _ in [.answer(status, fields: ["retry-after": field])] }
                ])
                #expect(try await fixture.push().rejection?.reaction.retry == expected ?? none[status])
            }
        }
    }
}
