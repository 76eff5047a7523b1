import EventModel
import Foundation
import HTTPClient
import Logging
import Signing
import Synchronization

@testable import PushGateway

/// Real clocks, with a hand-set part added to the wall's.
final class TestClock: Sendable {
    private let shift = Mutex(0.0)

    func advance(_ seconds: Double) { shift.withLock { $0 += seconds } }

    func wall() -> Timestamp {
        let seconds = Date().timeIntervalSince1970 + shift.withLock { $0 }
        return Timestamp(microseconds: Int64(seconds * 1_000_000))
    }

    var pushClock: PushClock {
        PushClock(
            wall: { self.wall() },
            monotonic: { Double(DispatchTime.now().uptimeNanoseconds) / 1_000_000_000 }
        )
    }
}

/// A mock, a client of it and what both need.
final class Fixture: Sendable {
    static let keyID = "ABC123DEFG"
    static let teamID = "TEAM123456"

    let clock = TestClock()
    let key: ES256PrivateKey
    let mock: MockAPNs
    let client: APNsClient
    let tokens: ProviderTokens

    init(
        _ script: MockScript = MockScript(),
        certificate: TestCertificates.Kind = .good,
        checksTokens: Bool = false,
        key: ES256PrivateKey? = nil,
        tokenPath: String? = nil,
        _ adjust: (inout APNsConfiguration, TestCertificates) -> Void = { _, _ in }
    ) throws {
        let certificates = try TestCertificates.shared.get()
        let clock = clock
        let signer = try key ?? ES256PrivateKey.generate()
        self.key = signer
        var script = script
        if checksTokens {
            let publicKey = signer.publicKey
            script.authority = MockAuthority(keyID: Self.keyID, teamID: Self.teamID, key: publicKey) { clock.wall() }
        }
        let mock = try MockAPNs(script, certificate: certificates.server(certificate))
        self.mock = mock
        let configuration = Self.configuration(port: mock.port, certificates, adjust)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        tokens = ProviderTokens(
            key: ProviderKey(keyID: Self.keyID, teamID: Self.teamID, key: signer),
            path: tokenPath,
            logger: logger
        ) { clock.wall() }
        client = try APNsClient(configuration: configuration, tokens: tokens, logger: logger, clock: clock.pushClock)
    }

    deinit {
        client.stop()
        mock.send(.stop)
    }

    static func configuration(
        port: UInt16,
        _ certificates: TestCertificates,
        _ adjust: (inout APNsConfiguration, TestCertificates) -> Void
    ) -> APNsConfiguration {
        var configuration = APNsConfiguration()
        configuration.host = "localhost"
        configuration.port = port
        configuration.caFile = certificates.ca
        configuration.maxConnections = 1
        configuration.reconnectPause = 0.01...0.1
        configuration.resolve = { _, port in [SocketAddress(address: "127.0.0.1", port: port)].compactMap { $0 } }
        adjust(&configuration, certificates)
        return configuration
    }

    func request(
        priority: APNsPriority = .immediate,
        collapseID: String? = nil,
        deadline: Double = 30,
        registeredAt: Timestamp? = nil,
        payload: String = #"{"aps":{"alert":"hello"}}"#
    ) throws -> APNsRequest {
        try APNsRequest(
            deviceToken: String(repeating: "ab", count: 32),
            bundleID: "org.example.monitor",
            pushType: .alert,
            priority: priority,
            collapseID: collapseID,
            payload: Array(payload.utf8),
            deadline: clock.wall().adding(seconds: deadline),
            registeredAt: registeredAt
        )
    }

    func push(deadline: Double = 30, registeredAt: Timestamp? = nil) async throws -> PushOutcome {
        await client.submit(try request(deadline: deadline, registeredAt: registeredAt))
    }

    /// Answers what the mock holds, again and again, until it has handled this many requests and holds none.
    func releaseAll(requests: Int) async {
        while true {
            let record = mock.record
            if record.handled >= requests, record.held == 0 { return }
            mock.send(.releaseHeld)
            let hasMoved = await mock.wait { $0.handled > record.handled || $0.held < record.held }
            if !hasMoved { return }
        }
    }

    func pushMany(_ count: Int) async throws -> [PushOutcome] {
        let requests = try (0..<count).map { _ in try request() }
        return await withTaskGroup(of: PushOutcome.self) { group in
            for request in requests { group.addTask { await self.client.submit(request) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }
}

/// How many times longer than usual an answer may take: more than once under a sanitizer (Tests/sanitizers/run).
let slowness = (ProcessInfo.processInfo.environment["TEST_PATIENCE"].flatMap(Double.init) ?? 5) / 5

extension PushOutcome {
    var isAccepted: Bool {
        if case .accepted = self { true } else { false }
    }

    var rejection: (answer: PushAnswer, reaction: PushReaction)? {
        if case .rejected(let answer, let reaction) = self { (answer, reaction) } else { nil }
    }
}
