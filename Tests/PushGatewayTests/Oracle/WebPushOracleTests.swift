import EventModel
import JSON
import Logging
import Signing
import Testing

@testable import PushGateway

/// The client of browsers' push services against one that verifies and decrypts with other libraries.
@Suite("Web Push, judged by the oracle", .serialized, .timeLimit(.minutes(5)))
struct WebPushOracleTests {
    private let clock = TestClock()
    private let oracle: PushOracle
    private let tokens: VAPIDTokens
    private let client: WebPushClient
    private let rules: WebPushRules

    init() throws {
        oracle = try PushOracle(#"{"webpush": {"ports": 3, "subscriptions": 6, "proven_streams": 20}}"#)
        var configuration = WebPushConfiguration()
        configuration.rules.ports = [1...UInt16.max]
        configuration.rules.allowsPrivateAddresses = true
        configuration.caFile = oracle.caFile
        configuration.reconnectPause = 0.01...0.1
        rules = configuration.rules
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let clock = clock
        let subject = try #require(VAPIDSubject("mailto:push@monitor.example.org"))
        tokens = VAPIDTokens(key: VAPIDKey(try .generate()), subject: subject, path: nil, logger: logger) {
            clock.wall()
        }
        client = try WebPushClient(
            configuration: configuration,
            tokens: tokens,
            logger: logger,
            clock: clock.pushClock
        )
    }

    private func subscriptions() throws -> [WebPushSubscription] {
        try (oracle.ready["webpush"]?["subscriptions"]?.array ?? []).map { one in
            try WebPushSubscription(
                endpoint: one["endpoint"]?.string ?? "",
                p256dh: one["keys"]?["p256dh"]?.string ?? "",
                auth: one["keys"]?["auth"]?.string ?? "",
                rules: rules
            )
        }
    }

    private func submitAll(_ requests: [WebPushRequest]) async -> [PushOutcome] {
        let client = client
        return await withTaskGroup(of: PushOutcome.self) { group in
            for request in requests { group.addTask { await client.submit(request) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("pushes to three services are decrypted to the last byte that is allowed")
    func decrypted() async throws {
        try oracle.command(
            #"{"do": "set", "settings": {"public_key": "\#(tokens.key.publicKeyText)"}}"#
        )
        var requests: [WebPushRequest] = []
        var payloads: Set<String> = []
        for (index, subscription) in try subscriptions().enumerated() {
            for size in [0, 1, 1000, WebPushRequest.payloadLimit] {
                let text = String(repeating: "x", count: max(0, size - 1)) + (size > 0 ? "\(index)" : "")
                payloads.insert(text)
                requests.append(
                    try WebPushRequest(
                        subscription: subscription,
                        payload: Array(text.utf8),
                        urgency: WebPushUrgency.allCases[size % 4],
                        timeToLive: size,
                        topic: size % 2 == 0 ? nil : WebPushTopic.of(text),
                        deadline: clock.wall().adding(seconds: 60)
                    )
                )
            }
        }
        let outcomes = await submitAll(requests)
        client.stop()
        #expect(requests.count == 24)
        #expect(outcomes.allSatisfy { $0.isAccepted })
        let records = try oracle.records("request", "webpush")
        let seen = records.map { record -> String in
            guard let payload = record["payload"] else { return "?" }
            return payload.string ?? payload.integer.map { String($0) } ?? "?"
        }
        #expect(Set(seen) == payloads)
        let summary = try oracle.summary("webpush")
        #expect(summary["faults"]?.array?.isEmpty == true)
        guard case .object(let origins)? = summary["tokens"] else { throw MockFailure("no tokens") }
        #expect(origins.count == 3)
        #expect(origins.allSatisfy { $0.1.array?.count == 1 })
    }

    @Test(
        "trouble on the way costs no push: refused streams, GOAWAY, lost connections",
        arguments: [
            #"[{"reset": 7}]"#, #"[{"goaway": "before"}]"#, #"[{"close": "rst"}]"#,
            #"[{"streams": 1}, {"wait": 0.05}, {"status": 201}]"#,
        ]
    )
    func trouble(steps: String) async throws {
        try oracle.command(#"{"do": "steps", "steps": [{"when": {"n": 12}, "times": 1, "do": \#(steps)}]}"#)
        let all = try subscriptions()
        let requests = try (0..<40).map { index in
            try WebPushRequest(
                subscription: all[index % all.count],
                payload: Array("\(index)".utf8),
                timeToLive: 0,
                deadline: clock.wall().adding(seconds: 60)
            )
        }
        let outcomes = await submitAll(requests)
        client.stop()
        #expect(outcomes.allSatisfy { $0.isAccepted })
        let summary = try oracle.summary("webpush")
        #expect(summary["faults"]?.array?.isEmpty == true)
        guard case .object(let counts)? = summary["attempts"] else { throw MockFailure("no counts") }
        #expect(counts.count == 40)
        let attempts = counts.compactMap { $0.1.integer }
        #expect(attempts.allSatisfy { $0 <= 2 })
    }

    @Test("a browser that subscribed with another key is told apart from a token that is refused")
    func otherKey() async throws {
        let request = try WebPushRequest(
            subscription: try #require(subscriptions().first),
            payload: [],
            timeToLive: 0,
            deadline: clock.wall().adding(seconds: 60)
        )
        try oracle.command(#"{"do": "set", "settings": {"public_key": "another"}}"#)
        #expect(await client.submit(request).rejection?.reaction.token == .quarantine)
        try oracle.command(#"{"do": "set", "settings": {"clock_offset": 90000}}"#)
        let refused = await client.submit(request).rejection?.reaction
        #expect(refused?.token == .keep)
        #expect(refused?.fault == .key)
        client.stop()
    }
}
