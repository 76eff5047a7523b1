import EventModel
import Foundation
import HTTPClient
import Logging
import Signing

@testable import PushGateway

/// Mocks of push services, each an origin of its own, a client of them and what both need.
final class WebPushFixture: Sendable {
    let clock = TestClock()
    let browser: ES256PrivateKey
    let mocks: [MockAPNs]
    let tokens: VAPIDTokens
    let client: WebPushClient
    let rules: WebPushRules

    var mock: MockAPNs { mocks[0] }

    init(
        _ scripts: [MockScript] = [WebPushFixture.script()],
        _ adjust: (inout WebPushConfiguration) -> Void = { _ in }
    ) throws {
        let certificates = try TestCertificates.shared.get()
        let clock = clock
        browser = try ES256PrivateKey.generate()
        mocks = try scripts.map { try MockAPNs($0, certificate: certificates.server(.good)) }
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        guard let subject = VAPIDSubject("mailto:push@monitor.example.org") else { throw MockFailure("no subject") }
        tokens = VAPIDTokens(key: VAPIDKey(try .generate()), subject: subject, path: nil, logger: logger) {
            clock.wall()
        }
        var configuration = WebPushConfiguration()
        configuration.rules.ports = [1...UInt16.max]
        configuration.rules.allowsPrivateAddresses = true
        configuration.caFile = certificates.ca
        configuration.maxConnections = 1
        configuration.reconnectPause = 0.01...0.1
        configuration.resolve = { _, port in [SocketAddress(address: "127.0.0.1", port: port)].compactMap { $0 } }
        adjust(&configuration)
        rules = configuration.rules
        client = try WebPushClient(
            configuration: configuration,
            tokens: tokens,
            logger: logger,
            clock: clock.pushClock
        )
    }

    deinit {
        client.stop()
        for mock in mocks { mock.send(.stop) }
    }

    /// A service that answers with 201.
    static func script(_ reply: @escaping @Sendable (MockRequest) -> [MockStep] = { _ in [.answer(201)] }) -> MockScript
    {
        var script = MockScript()
        script.reply = reply
        return script
    }

    func subscription(_ index: Int = 0, path: String = "/push/secret") throws -> WebPushSubscription {
        try subscription(endpoint: "https://localhost:\(mocks[index].port)\(path)")
    }

    func subscription(endpoint: String) throws -> WebPushSubscription {
        try WebPushSubscription(
            endpoint: endpoint,
            p256dh: Base64URL.encode(browser.publicKey.point),
            auth: Base64URL.encode([UInt8](repeating: 9, count: 16)),
            rules: rules
        )
    }

    func request(
        _ subscription: WebPushSubscription,
        urgency: WebPushUrgency = .normal,
        topic: String? = nil,
        deadline: Double = 30
    ) throws -> WebPushRequest {
        try WebPushRequest(
            subscription: subscription,
            payload: Array("hello".utf8),
            urgency: urgency,
            timeToLive: 60,
            topic: topic,
            deadline: clock.wall().adding(seconds: deadline)
        )
    }

    func push(_ index: Int = 0, deadline: Double = 30) async throws -> PushOutcome {
        await client.submit(try request(subscription(index), deadline: deadline))
    }
}
