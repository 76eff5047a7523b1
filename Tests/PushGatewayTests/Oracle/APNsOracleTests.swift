import EventModel
import Foundation
import JSON
import Logging
import Signing
import Testing

@testable import PushGateway

/// The client of Apple's servers against a server that was written from Apple's documents, on other libraries.
@Suite("APNs, judged by the oracle", .serialized, .timeLimit(.minutes(5)))
struct APNsOracleTests {
    private let clock = TestClock()
    private let key: ES256PrivateKey
    private let oracle: PushOracle
    private let client: APNsClient

    init() throws {
        key = try ES256PrivateKey.generate()
        let path = NSTemporaryDirectory() + "oracle-key-\(UUID().uuidString).p8"
        try Data(key.pem()).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        oracle = try PushOracle(
            """
            {"apns": {"key_file": "\(path)", "key_id": "\(Fixture.keyID)", "team_id": "\(Fixture.teamID)",
             "topics": ["org.example.monitor"], "proven_streams": 20, "environment": "development"}}
            """
        )
        var configuration = APNsConfiguration()
        configuration.host = "localhost"
        configuration.port = oracle.port("apns")
        configuration.caFile = oracle.caFile
        configuration.maxConnections = 2
        configuration.reconnectPause = 0.01...0.1
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let clock = clock
        let tokens = ProviderTokens(
            key: ProviderKey(keyID: Fixture.keyID, teamID: Fixture.teamID, key: key),
            path: nil,
            logger: logger
        ) { clock.wall() }
        client = try APNsClient(configuration: configuration, tokens: tokens, logger: logger, clock: clock.pushClock)
    }

    private func request(
        _ type: APNsPushType,
        expiration: APNsExpiration = .unspecified,
        collapseID: String? = nil,
        bytes: Int = 100
    ) throws -> APNsRequest {
        let frame = #"{"aps":{"alert":""}}"#.utf8.count
        let payload = #"{"aps":{"alert":""# + String(repeating: "x", count: bytes - frame) + #""}}"#
        return try APNsRequest(
            deviceToken: "00fc13adff78512d",
            bundleID: "org.example.monitor",
            pushType: type,
            priority: type == .background ? .considerate : .immediate,
            expiration: expiration,
            collapseID: collapseID,
            payload: Array(payload.utf8),
            deadline: clock.wall().adding(seconds: 60)
        )
    }

    private func submitAll(_ requests: [APNsRequest]) async -> [PushOutcome] {
        let client = client
        return await withTaskGroup(of: PushOutcome.self) { group in
            for request in requests { group.addTask { await client.submit(request) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("pushes of every kind are without fault, to the last byte that is allowed")
    func kinds() async throws {
        var requests: [APNsRequest] = []
        for type in APNsPushType.allCases {
            requests.append(try request(type))
            requests.append(try request(type, expiration: .none, bytes: type.payloadLimit))
            let collapseID = String(repeating: "c", count: 64)
            requests.append(try request(type, expiration: .at(4_000_000_000), collapseID: collapseID))
        }
        let outcomes = await submitAll(requests)
        client.stop()
        #expect(outcomes.allSatisfy { $0.isAccepted })
        let summary = try oracle.summary("apns")
        #expect(summary["faults"]?.array?.isEmpty == true)
        #expect(summary["requests"]?.integer == Int64(requests.count))
        #expect(summary["tokens"]?.array?.count == 1)
        // The first time the oracle's limit of one stream is met, the last time the one that it named later.
        let mostOpen = try oracle.records("closed", "apns").compactMap { $0["most_open"]?.integer }
        #expect(mostOpen.allSatisfy { $0 <= 20 })
    }

    @Test("a 410 tells when, and a token that was made up is refused")
    func answers() async throws {
        try oracle.command(
            #"""
            {"do": "set", "settings": {"device_tokens": {"00fc13adff78512d": {"gone_since_ms": 1700000000000}}}}
            """#
        )
        let gone = await client.submit(try request(.alert)).rejection
        #expect(gone?.answer.reason == .unregistered)
        #expect(gone?.answer.timestamp == Timestamp(microseconds: 1_700_000_000_000_000))
        try oracle.command(#"{"do": "set", "settings": {"device_tokens": {}}}"#)
        #expect(await client.submit(try request(.alert)).rejection?.answer.reason == .badDeviceToken)
        client.stop()
    }

    @Test(
        "trouble on the way costs no push: refused streams, GOAWAY, lost connections",
        arguments: [
            #"[{"reset": 7}]"#, #"[{"goaway": "before"}]"#, #"[{"goaway": "this"}, {"status": 200}]"#,
            #"[{"close": "fin"}]"#, #"[{"close": "rst"}]"#, #"[{"status": 503, "reason": "Shutdown"}]"#,
            #"[{"streams": 1}, {"wait": 0.05}, {"status": 200}]"#,
        ]
    )
    func trouble(steps: String) async throws {
        try oracle.command(#"{"do": "steps", "steps": [{"when": {"attempt": 1}, "times": 1, "do": \#(steps)}]}"#)
        _ = await client.submit(try request(.alert))
        try oracle.command(#"{"do": "steps", "steps": [{"when": {"n": 10}, "times": 1, "do": \#(steps)}]}"#)
        let outcomes = await submitAll(try (0..<40).map { _ in try request(.alert) })
        client.stop()
        #expect(outcomes.allSatisfy { $0.isAccepted })
        let summary = try oracle.summary("apns")
        #expect(summary["faults"]?.array?.isEmpty == true)
        guard case .object(let counts)? = summary["attempts"] else { throw MockFailure("no counts") }
        #expect(counts.count == 41)
        let attempts = counts.compactMap { $0.1.integer }
        #expect(attempts.allSatisfy { $0 <= 2 })
        let tokens = (summary["tokens"]?.array ?? []).map { $0["fingerprint"]?.string }
        #expect(Set(tokens).count == 1)
    }

    @Test("a clock that is an hour off is told, and makes no second token")
    func clockSkew() async throws {
        try oracle.command(#"{"do": "set", "settings": {"clock_offset": 7200}}"#)
        let rejection = await client.submit(try request(.alert)).rejection
        #expect(rejection?.answer.reason == .expiredProviderToken)
        #expect(rejection?.reaction.fault == .clockSkew)
        client.stop()
        #expect(try oracle.summary("apns")["requests"]?.integer == 1)
    }
}
