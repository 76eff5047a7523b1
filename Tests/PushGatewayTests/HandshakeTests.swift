import COpenSSL
import HTTPClient
import Synchronization
import Testing

@testable import PushGateway

@Suite("Connecting", .timeLimit(.minutes(5)))
struct HandshakeTests {
    /// Attempts to connect.
    private final class Attempts: Sendable {
        private let count = Mutex(0)

        var value: Int { count.withLock { $0 } }
        func note() { count.withLock { $0 += 1 } }
    }

    /// A push that waits for a connection until its deadline tells what stood in the way.
    private func failure(_ script: MockScript = MockScript(), hasAddress: Bool = true) async throws -> String? {
        let attempts = Attempts()
        let fixture = try Fixture(script) { configuration, _ in
            configuration.resolve = { _, port in
                attempts.note()
                return hasAddress ? [SocketAddress(address: "127.0.0.1", port: port)].compactMap { $0 } : []
            }
        }
        async let waiting = fixture.push(deadline: 3600)
        // The second attempt follows the failure of the first.
        while attempts.value < 2 { await Task.yield() }
        let outcome = try await fixture.push(deadline: 0.05)
        fixture.client.stop()
        #expect(try await waiting == .unsent(.stopped))
        #expect(fixture.mock.record.requests.isEmpty)
        guard case .unsent(.expired(let lastFailure)) = outcome else { return nil }
        return lastFailure
    }

    /// The push ends at once: its deadline is after the time limit.
    private func distrust(_ fixture: Fixture) async throws -> String? {
        guard case .unsent(.untrusted(let text)) = try await fixture.push(deadline: 3600) else { return nil }
        #expect(fixture.mock.record.requests.isEmpty)
        return text
    }

    @Test("a certificate for another host is refused")
    func wrongHost() async throws {
        let text = try await distrust(try Fixture(certificate: .wrongHost))
        #expect(text == "the server's certificate is refused: hostname mismatch")
    }

    @Test("an unknown authority is refused")
    func untrusted() async throws {
        let fixture = try Fixture { configuration, certificates in configuration.caFile = certificates.otherCA }
        let text = try await distrust(fixture)
        #expect(text?.hasPrefix("the server's certificate is refused: unable to get") == true)
    }

    @Test("without HTTP/2 in ALPN nothing is sent", arguments: [[], [8] + Array("http/1.1".utf8)])
    func noALPN(alpn: [UInt8]) async throws {
        var script = MockScript()
        script.alpn = alpn
        #expect(try await failure(script) == "the server does not agree to HTTP/2 (ALPN)")
    }

    @Test("TLS 1.1 is refused")
    func oldTLS() async throws {
        var script = MockScript()
        script.maxTLSVersion = TLS1_1_VERSION
        let text = try await failure(script)
        #expect(text?.hasPrefix("TLS failed during") == true)
    }

    @Test("TLS 1.2 will do")
    func tls12() async throws {
        var script = MockScript()
        script.maxTLSVersion = TLS1_2_VERSION
        #expect(try await Fixture(script).push().isAccepted)
    }

    @Test("a numeric host is looked for among the certificate's addresses")
    func numericHost() async throws {
        let fixture = try Fixture { configuration, _ in configuration.host = "127.0.0.1" }
        #expect(try await fixture.push().isAccepted)
        #expect(fixture.mock.record.serverNames == [""])
    }

    @Test("a dead address is passed over")
    func deadAddress() async throws {
        let fixture = try Fixture { configuration, _ in
            configuration.resolve = { _, port in
                // Nobody listens on port 1.
                [("127.0.0.1", UInt16(1)), ("127.0.0.1", 1), ("127.0.0.1", port)].compactMap {
                    SocketAddress(address: $0.0, port: $0.1)
                }
            }
        }
        #expect(try await fixture.push().isAccepted)
        #expect(fixture.mock.record.connections == 1)
    }

    @Test("a name without addresses is told")
    func noAddress() async throws {
        #expect(try await failure(hasAddress: false) == "localhost cannot be resolved")
    }

    @Test("connections that are dropped are tried again, more slowly each time")
    func dropped() async throws {
        var script = MockScript()
        script.dropsConnection = { $0 < 4 }
        let fixture = try Fixture(script)
        #expect(try await fixture.push().isAccepted)
        #expect(fixture.mock.record.connections == 5)
        #expect(fixture.client.status.connectionsFailed == 4)
        #expect(fixture.client.status.lastFailure == nil)
    }

    @Test("a CA file that cannot be read is found at the start")
    func noCAFile() throws {
        #expect(throws: PushClientError.self) {
            try Fixture { configuration, _ in configuration.caFile = "/nowhere/ca.pem" }
        }
    }
}
