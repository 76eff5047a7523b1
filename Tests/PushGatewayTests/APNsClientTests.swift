import EventModel
import Testing

@testable import PushGateway

@Suite("APNsClient", .timeLimit(.minutes(5)))
struct APNsClientTests {
    @Test("a push is accepted, with the headers that Apple asks for")
    func accepted() async throws {
        let fixture = try Fixture(checksTokens: true)
        let request = try fixture.request(collapseID: "p:1")
        let outcome = await fixture.client.submit(request)
        #expect(outcome == .accepted(PushAnswer(status: 200, apnsID: request.id.text)))
        let seen = try #require(fixture.mock.record.requests.first)
        #expect(seen[":method"] == "POST")
        #expect(seen[":scheme"] == "https")
        #expect(seen[":authority"] == "localhost")
        #expect(seen[":path"] == "/3/device/" + request.deviceToken)
        #expect(seen["apns-topic"] == "org.example.monitor")
        #expect(seen["apns-push-type"] == "alert")
        #expect(seen["apns-priority"] == "10")
        #expect(seen["apns-collapse-id"] == "p:1")
        #expect(seen["apns-expiration"] == nil)
        #expect(seen.body == request.payload)
        #expect(fixture.mock.record.serverNames == ["localhost"])
        #expect(fixture.mock.record.tokenRefusals == [])
    }

    @Test("one stream until the token is proven, then as many as SETTINGS say")
    func ramp() async throws {
        var script = MockScript()
        script.provenStreamLimit = 7
        script.reply = { $0.stream == 1 ? [.ok] : [.hold] }
        let fixture = try Fixture(script)
        async let outcomes = fixture.pushMany(30)
        #expect(await fixture.mock.wait { $0.held == 7 })
        #expect(fixture.mock.record.requests.count == 8)
        await fixture.releaseAll(requests: 30)
        #expect(try await outcomes.allSatisfy(\.isAccepted))
        let record = fixture.mock.record
        #expect(record.maxOpenStreams == 7)
        #expect(record.limitViolations == 0)
        #expect(record.connections == 1)
        #expect(record.priorityFrames == 0)
    }

    @Test("without a limit in SETTINGS the own bound counts, and the first push goes alone")
    func noLimit() async throws {
        var script = MockScript()
        script.initialStreamLimit = nil
        script.provenStreamLimit = nil
        script.reply = { $0.stream == 1 ? [.ok] : [.hold] }
        let fixture = try Fixture(script) { configuration, _ in configuration.maxStreams = 5 }
        async let outcomes = fixture.pushMany(6)
        #expect(await fixture.mock.wait { $0.held == 5 })
        fixture.mock.send(.releaseHeld)
        #expect(try await outcomes.allSatisfy(\.isAccepted))
        #expect(fixture.mock.record.maxOpenStreams == 5)
    }

    @Test("a limit that is lowered while pushes are under way is kept to")
    func lowered() async throws {
        var script = MockScript()
        script.provenStreamLimit = 10
        script.reply = { $0.stream == 1 ? [.ok] : [.hold] }
        let fixture = try Fixture(script)
        async let outcomes = fixture.pushMany(21)
        #expect(await fixture.mock.wait { $0.held == 10 })
        fixture.mock.send(.streamLimit(2))
        await fixture.releaseAll(requests: 21)
        #expect(try await outcomes.allSatisfy(\.isAccepted))
        #expect(fixture.mock.record.limitViolations == 0)
    }

    @Test("urgent pushes overtake those that wait")
    func priorities() async throws {
        var script = MockScript()
        script.provenStreamLimit = 1
        script.reply = { $0.earlier == 0 && $0.stream == 1 ? [.hold] : [.ok] }
        let fixture = try Fixture(script)
        async let first = fixture.push()
        #expect(await fixture.mock.wait { $0.held == 1 })
        let calm = try (0..<3).map { _ in try fixture.request(priority: .considerate) }
        let urgent = try (0..<3).map { _ in try fixture.request(priority: .immediate) }
        await withTaskGroup(of: Void.self) { group in
            for request in calm + urgent {
                group.addTask { _ = await fixture.client.submit(request) }
            }
            while fixture.client.pendingBytes < 7 * 512 { await Task.yield() }
            fixture.mock.send(.releaseHeld)
        }
        _ = try await first
        let order = fixture.mock.record.requests.dropFirst().map(\.id)
        #expect(Set(order.prefix(3)) == Set(urgent.map(\.id.text)))
        #expect(Set(order.suffix(3)) == Set(calm.map(\.id.text)))
    }

    @Test("changing header fields are indexed once on a connection, then not")
    func headerCompression() async throws {
        let fixture = try Fixture()
        for _ in 0..<3 { _ = await fixture.client.submit(try fixture.request(collapseID: "x")) }
        let requests = fixture.mock.record.requests
        func isIndexed(_ name: String) -> [Bool?] { requests.map { $0.fields.first { $0.name == name }?.isIndexed } }
        #expect(isIndexed("apns-id") == [true, false, false])
        #expect(isIndexed("apns-collapse-id") == [true, false, false])
        #expect(isIndexed("apns-topic") == [true, true, true])
        #expect(isIndexed("authorization") == [false, false, false])
    }

    @Test("a full queue refuses, and takes again when there is room")
    func bound() async throws {
        var script = MockScript()
        script.reply = { $0.stream == 1 ? [.hold] : [.ok] }
        let fixture = try Fixture(script) { configuration, _ in configuration.queueByteLimit = 1400 }
        async let first = fixture.push()
        async let second = fixture.push()
        while fixture.client.pendingBytes < 1200 { await Task.yield() }
        #expect(try await fixture.push() == .unsent(.queueFull))
        #expect(await fixture.mock.wait { $0.held == 1 })
        fixture.mock.send(.releaseHeld)
        #expect(try await first.isAccepted)
        #expect(try await second.isAccepted)
        #expect(fixture.client.pendingBytes == 0)
        #expect(try await fixture.push().isAccepted)
    }

    @Test("a push whose deadline passes while it waits was not sent")
    func expired() async throws {
        var script = MockScript()
        script.reply = { _ in [.hold] }
        let fixture = try Fixture(script)
        async let first = fixture.push()
        #expect(await fixture.mock.wait { $0.held == 1 })
        #expect(try await fixture.push(deadline: 0.05) == .unsent(.expired(lastFailure: nil)))
        fixture.mock.send(.releaseHeld)
        #expect(try await first.isAccepted)
        #expect(fixture.mock.record.requests.count == 1)
    }

    @Test("stopping ends what waits at once, what is under way in its time, and what comes later")
    func stopping() async throws {
        var script = MockScript()
        script.reply = { _ in [.hold] }
        let fixture = try Fixture(script) { configuration, _ in configuration.stopTimeout = 0.1 }
        async let underWay = fixture.push()
        #expect(await fixture.mock.wait { $0.held == 1 })
        async let waiting = fixture.push()
        while fixture.client.pendingBytes < 1200 { await Task.yield() }
        fixture.client.stop()
        #expect(try await waiting == .unsent(.stopped))
        #expect(try await underWay == .unknown(.connectionLost))
        #expect(try await fixture.push() == .unsent(.stopped))
    }

    @Test("an idle connection is left with a GOAWAY")
    func graceful() async throws {
        let fixture = try Fixture()
        #expect(try await fixture.push().isAccepted)
        fixture.client.stop()
        #expect(await fixture.mock.wait { $0.clientGoAways == 1 })
    }

    @Test("the second connection opens when the first is full for a while, and not before")
    func growth() async throws {
        var script = MockScript()
        script.provenStreamLimit = 2
        script.reply = { $0.stream == 1 ? [.ok] : [.hold] }
        let fixture = try Fixture(script) { configuration, _ in
            configuration.maxConnections = 2
            configuration.growAfter = 0.05
        }
        #expect(try await fixture.push().isAccepted)
        async let outcomes = fixture.pushMany(6)
        #expect(await fixture.mock.wait { $0.connections == 2 && $0.held == 4 })
        await fixture.releaseAll(requests: 7)
        #expect(try await outcomes.allSatisfy(\.isAccepted))
        #expect(fixture.mock.record.connections == 2)
    }
}
