import Testing

@testable import PushGateway

@Suite("WebPushReaction")
struct WebPushReactionTests {
    struct Row: Sendable {
        var status: Int
        var body: String
        var expected: WebPushReaction

        init(
            _ status: Int,
            _ body: String = "",
            _ retry: PushRetry = .never,
            _ subscription: WebPushReaction.Subscription = .keep,
            connection: PushConnectionVerdict = .keep,
            fault: WebPushReaction.Fault? = nil
        ) {
            self.status = status
            self.body = body
            var expected = WebPushReaction()
            expected.retry = retry
            expected.subscription = subscription
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
        Row(406, "", .after(seconds: 60)), Row(408, "", .after(seconds: 60)), Row(425, "", .after(seconds: 60)),
        Row(413, "", .onceSmaller, fault: .payload),
        Row(418, fault: .request),
        Row(421, "", .onceElsewhere, connection: .retire),
        Row(429, "", .after(seconds: 60)),
        Row(500, "", .after(seconds: 60)), Row(502, "", .after(seconds: 60)), Row(503, "", .after(seconds: 60)),
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
        #expect(try await fixture.push() == .accepted(WebPushAnswer(status: status)))
        #expect(WebPushReaction.of(status: status).subscription == .confirmed)
    }

    @Test(
        "Retry-After lengthens a wait and never shortens it",
        arguments: [("0", 60), ("59", 60), ("120", 120), ("-5", 60), ("Sun, 06 Nov 1994 08:49:37 GMT", 60)]
    )
    func retryAfter(field: String, expected: Int) async throws {
        for status in [429, 503] {
            let fixture = try WebPushFixture([
                WebPushFixture.script { _ in [.answer(status, fields: ["retry-after": field])] }
            ])
            #expect(try await fixture.push().rejection?.reaction.retry == .after(seconds: expected))
        }
    }
}
