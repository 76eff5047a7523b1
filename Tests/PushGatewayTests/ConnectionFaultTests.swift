import EventModel
import Testing

@testable import PushGateway

@Suite("A connection in trouble", .timeLimit(.minutes(5)))
struct ConnectionFaultTests {
    @Test("a refused stream is sent again at once, and processed once")
    func refused() async throws {
        var script = MockScript()
        script.reply = { $0.earlier == 0 ? [.reset(7)] : [.ok] }
        let fixture = try Fixture(script)
        #expect(try await fixture.pushMany(5).allSatisfy(\.isAccepted))
        let record = fixture.mock.record
        #expect(record.processed.values.allSatisfy { $0 == 1 })
        #expect(record.requests.count == 10)
        #expect(record.connections == 1)
    }

    @Test("a stream that is refused for ever ends as refused")
    func refusedForEver() async throws {
        var script = MockScript()
        script.reply = { _ in [.reset(7)] }
        let fixture = try Fixture(script) { configuration, _ in configuration.refusalLimit = 3 }
        #expect(try await fixture.push() == .unsent(.refused))
        #expect(fixture.mock.record.requests.count == 4)
    }

    @Test(
        "a connection with malformed HTTP/2 is closed at once, and its push goes elsewhere",
        arguments: [
            // SETTINGS of five bytes (RFC 9113 section 6.5); DATA on stream 0 (6.1); HEADERS that HPACK cannot read.
            [0, 0, 5, 4, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5], [0, 0, 1, 0, 0, 0, 0, 0, 0, 7],
            [0, 0, 2, 1, 4, 0, 0, 0, 1, 0xFF, 0xFF],
        ] as [[UInt8]]
    )
    func malformed(frame: [UInt8]) async throws {
        var script = MockScript()
        script.reply = { $0.connection == 0 ? [.raw(frame), .hold] : [.ok] }
        // The push ends before a missing answer would send it elsewhere.
        let fixture = try Fixture(script) { configuration, _ in configuration.answerTimeout = 60 }
        #expect(try await fixture.push(deadline: 30).isAccepted)
        #expect(await fixture.mock.wait { $0.closedConnections == 1 })
        #expect(fixture.mock.record.connections == 2)
    }

    @Test("GOAWAY: what it leaves out is sent again elsewhere, what it includes is answered here")
    func goAway() async throws {
        var script = MockScript()
        script.provenStreamLimit = 10
        script.reply = { request in
            guard request.connection == 0, request.stream > 1 else { return [.ok] }
            // The last of ten names the first five as the last it takes.
            return request.stream < 21 ? [.hold] : [.goAway(takesThis: false), .hold]
        }
        // The connection stays until the test has the streams answered.
        let fixture = try Fixture(script) { configuration, _ in configuration.drainTimeout = 60 }
        #expect(try await fixture.push().isAccepted)
        async let outcomes = fixture.pushMany(10)
        #expect(await fixture.mock.wait { $0.connections == 2 })
        fixture.mock.send(.releaseHeld)
        #expect(try await outcomes.allSatisfy(\.isAccepted))
        #expect(await fixture.mock.wait { $0.closedConnections == 1 })
        let record = fixture.mock.record
        #expect(record.requests.count == 12)
        #expect(record.requests.count { $0.earlier > 0 } == 1)
        #expect(fixture.client.status.goAways == 1)
    }

    @Test("a GOAWAY in two steps: nothing new goes here, what the second leaves out goes elsewhere")
    func goAwayInSteps() async throws {
        var script = MockScript()
        script.reply = { request in
            switch (request.connection, request.stream) {
            case (0, 3): [.goAwayNotice]
            case (0, 5): [.goAway(takesThis: false), .answer(200)]
            default: [.ok]
            }
        }
        script.provenStreamLimit = 2
        let fixture = try Fixture(script) { configuration, _ in configuration.drainTimeout = 0.5 }
        #expect(try await fixture.push().isAccepted)
        #expect(try await fixture.pushMany(8).allSatisfy(\.isAccepted))
        let record = fixture.mock.record
        #expect(record.connections == 2)
        // Before the notice arrived at most one more stream was begun.
        #expect(record.requests.count { $0.connection == 0 } <= 3)
    }

    @Test("GOAWAY on an idle connection: the next push opens another")
    func goAwayIdle() async throws {
        let fixture = try Fixture()
        #expect(try await fixture.push().isAccepted)
        fixture.mock.send(.goAway)
        #expect(await fixture.mock.wait { $0.closedConnections == 1 })
        #expect(try await fixture.push().isAccepted)
        #expect(fixture.mock.record.connections == 2)
    }

    @Test("the connection is lost with pushes under way: each once more, with the same id", arguments: [false, true])
    func disconnected(abrupt: Bool) async throws {
        var script = MockScript()
        script.provenStreamLimit = 4
        script.reply = { request in
            guard request.connection == 0, request.stream > 1 else { return [.ok] }
            return request.stream < 9 ? [.hold] : [.disconnect(abrupt: abrupt)]
        }
        let fixture = try Fixture(script)
        #expect(try await fixture.push().isAccepted)
        #expect(try await fixture.pushMany(4).allSatisfy(\.isAccepted))
        let record = fixture.mock.record
        #expect(record.requests.count == 9)
        #expect(record.processed.values.allSatisfy { $0 <= 2 })
        #expect(record.connections == 2)
    }

    @Test("a push that is lost twice ends, and is not sent a third time")
    func lostTwice() async throws {
        var script = MockScript()
        script.reply = { _ in [.disconnect()] }
        let fixture = try Fixture(script)
        #expect(try await fixture.push() == .unknown(.connectionLost))
        #expect(fixture.mock.record.requests.count == 2)
        #expect(Set(fixture.mock.record.requests.map(\.id)).count == 1)
    }

    @Test("other resets are ambiguous: once more, then unknown")
    func reset() async throws {
        var script = MockScript()
        script.reply = { _ in [.reset(2)] }
        let fixture = try Fixture(script)
        #expect(try await fixture.push() == .unknown(.streamReset(code: 2)))
        #expect(fixture.mock.record.requests.count == 2)
    }

    @Test("a status without its body is an answer, whatever happens then")
    func statusOnly() async throws {
        var script = MockScript()
        script.reply = { request in
            if request.connection == 0 { return [.unfinished(200), .disconnect()] }
            return request.stream == 1 ? [.ok] : [.unfinished(410), .reset(2)]
        }
        let fixture = try Fixture(script)
        #expect(try await fixture.push().isAccepted)
        #expect(fixture.mock.record.requests.count == 1)
        #expect(try await fixture.push().isAccepted)
        let gone = try await fixture.push().rejection
        #expect(gone?.answer.status == 410)
        #expect(gone?.reaction.token == .quarantine)
        #expect(fixture.mock.record.requests.count == 3)
    }

    @Test("a status whose body does not come in time is an answer")
    func bodyMissing() async throws {
        var script = MockScript()
        script.reply = { $0.stream == 1 ? [.unfinished(200)] : [.unfinished(410)] }
        // The status has to come in that time.
        let fixture = try Fixture(script) { configuration, _ in configuration.answerTimeout = 0.5 * slowness }
        #expect(try await fixture.push().isAccepted)
        #expect(try await fixture.push().rejection?.answer.status == 410)
        #expect(fixture.mock.record.requests.count == 2)
    }

    @Test("no answer: once more, then unknown; the connection proves itself by PING")
    func silence() async throws {
        var script = MockScript()
        script.reply = { _ in [.hold] }
        let fixture = try Fixture(script) { configuration, _ in
            configuration.answerTimeout = 0.05
            configuration.pingTimeout = 60
        }
        #expect(try await fixture.push() == .unknown(.noAnswer))
        #expect(await fixture.mock.wait { $0.requests.count == 2 && $0.pings >= 1 })
        #expect(fixture.mock.record.closedConnections == 0)
    }

    @Test("no answer and no PONG: the connection is dead, the push goes over another")
    func dead() async throws {
        var script = MockScript()
        script.answersPings = false
        script.reply = { $0.connection == 0 ? [.hold] : [.ok] }
        let fixture = try Fixture(script) { configuration, _ in
            // The other connection has to answer in that time.
            configuration.answerTimeout = 0.5 * slowness
            configuration.pingTimeout = 0.5 * slowness
        }
        #expect(try await fixture.push().isAccepted)
        #expect(fixture.mock.record.connections == 2)
        #expect(await fixture.mock.wait { $0.closedConnections == 1 })
    }

    @Test("a server that stops reading holds up nobody for long")
    func stalled() async throws {
        var script = MockScript()
        script.reply = { $0.connection == 0 ? [.stall] : [.ok] }
        let fixture = try Fixture(script) { configuration, _ in
            // The other connections have to answer in that time.
            configuration.answerTimeout = 0.5 * slowness
            configuration.pingTimeout = 0.5 * slowness
        }
        let outcomes = try await fixture.pushMany(20)
        #expect(outcomes.filter { !$0.isAccepted } == [])
        #expect(fixture.client.pendingBytes == 0)
    }

    @Test("a deadline ends a push under way, and it is not repeated")
    func deadline() async throws {
        var script = MockScript()
        script.reply = { $0.stream == 1 ? [.ok] : [.hold] }
        let fixture = try Fixture(script)
        // The connection stands before it.
        #expect(try await fixture.push().isAccepted)
        #expect(try await fixture.push(deadline: slowness) == .unknown(.deadline))
        #expect(fixture.mock.record.requests.count <= 2)
    }

    @Test("an idle connection is kept alive by PING")
    func idlePing() async throws {
        let fixture = try Fixture { configuration, _ in
            configuration.pingAfterIdle = 0.03
            configuration.pingTimeout = 60
        }
        #expect(try await fixture.push().isAccepted)
        #expect(await fixture.mock.wait { $0.pings >= 3 })
        #expect(fixture.mock.record.connections == 1)
        #expect(try await fixture.push().isAccepted)
        #expect(fixture.mock.record.connections == 1)
    }

    @Test("the first push after silence is accompanied by a PING")
    func checkPing() async throws {
        let fixture = try Fixture { configuration, _ in configuration.checkAfterIdle = 0 }
        #expect(try await fixture.push().isAccepted)
        #expect(await fixture.mock.wait { $0.pings >= 1 })
    }

    @Test("interim answers, bodies in parts and a window of one byte change nothing")
    func oddities() async throws {
        var script = MockScript()
        script.initialWindow = 1
        script.reply = { _ in
            [.interim, .answer(400, body: #"{"reason":"BadTopic"}"#, split: true)]
        }
        let fixture = try Fixture(script)
        for _ in 0..<3 {
            let request = try fixture.request()
            #expect(await fixture.client.submit(request).rejection?.answer.reason == .badTopic)
            #expect(fixture.mock.record.requests.last?.body == request.payload)
        }
    }
}
