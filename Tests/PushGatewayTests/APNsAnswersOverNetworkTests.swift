import EventModel
import Testing

@testable import PushGateway

@Suite("Apple's answers over the network", .timeLimit(.minutes(5)))
struct APNsAnswersOverNetworkTests {
    @Test("every row of the table: what is told, what is repeated, what happens to the connection")
    func table() async throws {
        for row in APNsReactionTests.rows where row.status != 200 {
            var script = MockScript()
            script.reply = { _ in
                row.reason.map { [.error(row.status, $0.rawValue)] } ?? [.answer(row.status)]
            }
            let fixture = try Fixture(script)
            let name = "\(row.status) \(row.reason?.rawValue ?? "")"
            let rejection = try #require(try await fixture.push().rejection, "\(name)")
            // The token was made a moment ago.
            let expected = PushReaction.apns(status: row.status, reason: row.reason, tokenAge: 0)
            #expect(rejection.reaction == expected, "\(name)")
            #expect(rejection.answer.reason == row.reason)
            let record = fixture.mock.record
            #expect(record.requests.count == (expected.retry == .onceElsewhere ? 2 : 1), "\(name)")
            #expect(record.connections == (expected.retry == .onceElsewhere ? 2 : 1), "\(name)")
            #expect(Set(record.requests.map(\.id)).count == 1)
            if expected.connection == .retire {
                let connections = record.connections
                #expect(await fixture.mock.wait { $0.closedConnections == connections }, "\(name)")
            } else {
                #expect(record.closedConnections == 0, "\(name)")
            }
        }
    }

    @Test("410 after and before the last registration, over the network")
    func gone() async throws {
        var script = MockScript()
        script.reply = { _ in
            [.answer(410, body: #"{"reason":"Unregistered","timestamp":1700000000000}"#, split: true)]
        }
        let fixture = try Fixture(script)
        let found = Timestamp(microseconds: 1_700_000_000_000_000)
        let before = try await fixture.push(registeredAt: found.adding(seconds: -1)).rejection
        #expect(before?.reaction.token == .drop)
        let after = try await fixture.push(registeredAt: found.adding(seconds: 1)).rejection
        #expect(after?.reaction.token == .keep)
        #expect(after?.answer.timestamp == found)
    }

    @Test("a Retry-After in the answer arrives in the reaction")
    func retryAfter() async throws {
        var script = MockScript()
        script.reply = { _ in
            [.answer(429, body: #"{"reason":"TooManyRequests"}"#, fields: ["retry-after": "90"])]
        }
        let rejection = try await Fixture(script).push().rejection
        #expect(rejection?.reaction.retry == .after(seconds: 90))
    }

    @Test(
        "over hours of pushes, lost connections and GOAWAYs no connection changes its token too soon",
        arguments: 1...6
    )
    func tokenSpacing(seed: UInt64) async throws {
        var random = SeededGenerator(seed)
        let fixture = try Fixture(checksTokens: true) { configuration, _ in
            configuration.reconnectPause = 0.001...0.002
        }
        for _ in 0..<60 {
            fixture.clock.advance(Double.random(in: 0...25 * 60, using: &random))
            #expect(try await fixture.push().isAccepted)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: fixture.mock.send(.goAway)
            case 1: fixture.mock.send(.disconnectAll)
            default: break
            }
        }
        let record = fixture.mock.record
        #expect(record.tokenRefusals == [])
        #expect(record.limitViolations == 0)
        #expect(record.tokens.values.contains { $0.count > 1 })
    }
}
