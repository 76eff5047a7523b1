import EventModel
import HTTPClient
import JSON
import Signing
import Testing

@testable import PushGateway

@Suite("WebPushClient", .timeLimit(.minutes(5)))
struct WebPushClientTests {
    /// Seconds.
    private static let shorterThanAHandshake = 0.0001

    @Test("a push is accepted, with the header fields of RFC 8030 and 8292")
    func accepted() async throws {
        let fixture = try WebPushFixture([
            WebPushFixture.script { _ in [.answer(201, fields: ["location": "https://localhost/message/1"])] }
        ])
        let subscription = try fixture.subscription(path: "/push/a?b=c")
        let outcome = await fixture.client.submit(
            try fixture.request(subscription, urgency: .high, topic: WebPushTopic.of("p:1"))
        )
        #expect(outcome == .accepted(PushAnswer(status: 201, location: "https://localhost/message/1")))
        let seen = try #require(fixture.mock.record.requests.first)
        #expect(seen[":method"] == "POST")
        #expect(seen[":authority"] == "localhost:\(fixture.mock.port)")
        #expect(seen[":path"] == "/push/a?b=c")
        #expect(seen["ttl"] == "60")
        #expect(seen["urgency"] == "high")
        #expect(seen["topic"]?.utf8.count == 32)
        #expect(seen["content-encoding"] == "aes128gcm")
        #expect(seen["content-length"] == "\(seen.body.count)")
        let field = try #require(seen["authorization"])
        let parts = field.dropFirst("vapid t=".count).split(separator: ",")
        #expect(field.hasPrefix("vapid t="))
        #expect(parts.last == " k=\(fixture.tokens.key.publicKeyText)")
        let point = try #require(Base64URL.decode(fixture.tokens.key.publicKeyText))
        let token = try JSONWebToken(verifying: String(parts[0]), with: ES256PublicKey(point: point))
        #expect(token.claims["aud"]?.string == "https://localhost:\(fixture.mock.port)")
        #expect(token.claims["sub"]?.string == "mailto:push@monitor.example.org")
    }

    @Test("secrets of the path stay out of HPACK's table")
    func headerCompression() async throws {
        let fixture = try WebPushFixture()
        for _ in 0..<2 { #expect(try await fixture.push().isAccepted) }
        let requests = fixture.mock.record.requests
        for name in [":path", "authorization"] {
            #expect(requests.allSatisfy { $0.fields.first { $0.name == name }?.isIndexed == false })
        }
    }

    @Test("each origin has its own connection and token; one that fails holds up no other")
    func origins() async throws {
        let fixture = try WebPushFixture([
            WebPushFixture.script(), WebPushFixture.script { _ in [.hold] }, WebPushFixture.script(),
        ])
        async let held = fixture.push(1)
        #expect(await fixture.mocks[1].wait { $0.held == 1 })
        for _ in 0..<3 {
            #expect(try await fixture.push(0).isAccepted)
            #expect(try await fixture.push(2).isAccepted)
        }
        fixture.mocks[1].send(.releaseHeld)
        #expect(try await held.isAccepted)
        let tokens = fixture.mocks.map { Set($0.record.tokens.values.flatMap { $0 }) }
        #expect(tokens.allSatisfy { $0.count == 1 })
        #expect(Set(tokens.flatMap { $0 }).count == 3)
        #expect(fixture.mocks.allSatisfy { $0.record.connections == 1 })
        #expect(fixture.client.status.origins == 3)
    }

    @Test(
        "an unused connection is closed, and opened again for the next push with the same token",
        arguments: [0.05, shorterThanAHandshake]
    )
    func idle(seconds: Double) async throws {
        let fixture = try WebPushFixture { $0.lastIdle = seconds }
        #expect(try await fixture.push().isAccepted)
        #expect(await fixture.mock.wait { $0.closedConnections == 1 })
        #expect(try await fixture.push().isAccepted)
        let record = fixture.mock.record
        #expect(record.connections == 2)
        #expect(record.clientGoAways >= 1)
        #expect(Set(record.tokens.values.flatMap { $0 }).count == 1)
    }

    @Test("at the bound on connections an unused one makes room")
    func totalBound() async throws {
        let scripts = (0..<4).map { _ in WebPushFixture.script() }
        let fixture = try WebPushFixture(scripts) { $0.maxTotalConnections = 2 }
        for round in 0..<8 { #expect(try await fixture.push(round % 4).isAccepted) }
        #expect(fixture.client.status.connections <= 2)
        #expect(fixture.mocks.allSatisfy { $0.record.connections >= 1 })
    }

    @Test("at the bound with all in use a push waits for its turn")
    func totalBoundBusy() async throws {
        let scripts = [WebPushFixture.script { _ in [.hold] }, WebPushFixture.script()]
        let fixture = try WebPushFixture(scripts) { $0.maxTotalConnections = 1 }
        async let first = fixture.push(0)
        #expect(await fixture.mocks[0].wait { $0.held == 1 })
        #expect(try await fixture.push(1, deadline: 0.1) == .unsent(.expired(lastFailure: nil)))
        async let second = fixture.push(1)
        fixture.mocks[0].send(.releaseHeld)
        #expect(try await first.isAccepted)
        #expect(try await second.isAccepted)
    }

    @Test("a name at a private address is not connected to, and the push ends at once")
    func privateAddress() async throws {
        let fixture = try WebPushFixture { $0.rules.allowsPrivateAddresses = false }
        let outcome = try await fixture.push()
        #expect(outcome == .unsent(.unusableService("localhost is at an address that is not public")))
        #expect(fixture.mock.record.connections == 0)
    }

    @Test("a numeric private address, and one in an IPv4-mapped guise, are not connected to")
    func numericAddress() async throws {
        let fixture = try WebPushFixture { configuration in
            configuration.rules.allowsPrivateAddresses = false
            configuration.resolve = SocketAddress.resolve
        }
        for host in ["127.0.0.1", "[::ffff:127.0.0.1]", "[::1]", "2130706433"] {
            let subscription = try fixture.subscription(endpoint: "https://\(host):\(fixture.mock.port)/")
            // A system without IPv6 may not even resolve its addresses.
            let deadline = host.contains(":") ? 2.0 : 30
            let outcome = await fixture.client.submit(try fixture.request(subscription, deadline: deadline))
            guard case .unsent(let cause) = outcome else {
                Issue.record("\(host): \(outcome)")
                continue
            }
            if !host.contains(":") {
                #expect(cause == .unusableService("\(host) is at an address that is not public"))
            }
        }
        #expect(fixture.mock.record.connections == 0)
    }

    @Test("of several addresses the public ones are tried, and only they")
    func mixedAddresses() async throws {
        let fixture = try WebPushFixture { configuration in
            configuration.rules.allowsPrivateAddresses = false
            configuration.connectTimeout = 0.1
            // 192.0.2.0/24 leads nowhere; it is special as well, so both are passed over.
            configuration.resolve = { _, port in
                ["127.0.0.1", "192.0.2.1"].compactMap { SocketAddress(address: $0, port: port) }
            }
        }
        guard case .unsent(.unusableService) = try await fixture.push() else {
            Issue.record("not refused")
            return
        }
        #expect(fixture.mock.record.connections == 0)
    }

    @Test(
        "a service without HTTP/2 ends its pushes at once and says why",
        arguments: [[], [8] + Array("http/1.1".utf8)]
    )
    func noHTTP2(alpn: [UInt8]) async throws {
        var script = WebPushFixture.script()
        script.alpn = alpn
        let fixture = try WebPushFixture([script])
        #expect(
            try await fixture.push() == .unsent(.unusableService("the server does not agree to HTTP/2 (ALPN)"))
        )
        #expect(fixture.mock.record.requests.isEmpty)
    }

    @Test("a redirection is not followed")
    func redirection() async throws {
        let fixture = try WebPushFixture([
            WebPushFixture.script { _ in [.answer(307, fields: ["location": "https://localhost:1/"])] }
        ])
        let rejection = try await fixture.push().rejection
        #expect(rejection?.answer.status == 307)
        #expect(rejection?.reaction.fault == .unexpected)
        #expect(fixture.mock.record.requests.count == 1)
    }

    @Test("a request sent to the wrong connection goes over another, once")
    func misdirected() async throws {
        let fixture = try WebPushFixture([
            WebPushFixture.script { $0.connection == 0 ? [.answer(421)] : [.answer(201)] }
        ])
        #expect(try await fixture.push().isAccepted)
        #expect(fixture.mock.record.connections == 2)
    }

    @Test("what is repeated is the same to the last byte")
    func repetition() async throws {
        let fixture = try WebPushFixture([
            WebPushFixture.script { $0.stream == 1 && $0.connection == 0 ? [.disconnect()] : [.answer(201)] }
        ])
        #expect(try await fixture.push().isAccepted)
        let requests = fixture.mock.record.requests
        #expect(requests.count == 2)
        #expect(requests.first?.body == requests.last?.body)
    }

    @Test("stopping ends pushes to all origins")
    func stopping() async throws {
        let fixture = try WebPushFixture([
            WebPushFixture.script { _ in [.hold] }, WebPushFixture.script { _ in [.hold] },
        ]) { $0.stopTimeout = 0.1 }
        async let first = fixture.push(0)
        async let second = fixture.push(1)
        for mock in fixture.mocks { #expect(await mock.wait { $0.held == 1 }) }
        fixture.client.stop()
        #expect(try await [first, second] == [.unknown(.connectionLost), .unknown(.connectionLost)])
        #expect(try await fixture.push() == .unsent(.stopped))
        #expect(fixture.client.pendingBytes == 0)
    }
}
