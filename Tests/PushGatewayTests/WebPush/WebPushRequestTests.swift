import EventModel
import Signing
import Testing

@testable import PushGateway

@Suite("WebPushSubscription and WebPushRequest")
struct WebPushRequestTests {
    private static let point = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    private static let auth = "BTBZMqHH6r4Tts7J_aSIgg"

    private func subscription() throws -> WebPushSubscription {
        try WebPushSubscription(endpoint: "https://push.example.net/secret", p256dh: Self.point, auth: Self.auth)
    }

    private func request(
        payload: Int = 10,
        timeToLive: Int = 60,
        topic: String? = nil
    ) throws -> WebPushRequest {
        try WebPushRequest(
            subscription: subscription(),
            payload: [UInt8](repeating: 0x61, count: payload),
            timeToLive: timeToLive,
            topic: topic,
            deadline: Timestamp(microseconds: 1)
        )
    }

    @Test("a browser's subscription is taken, and printed without its secrets")
    func taken() throws {
        let text = "\(try subscription())"
        #expect(text == "subscription at https://push.example.net")
        #expect(!"\(try request())".contains("secret"))
    }

    private static let badKeyCases: [(String, String, WebPushSubscriptionFault)] = [
        ("", auth, .p256dh),
        (String(point.dropLast()), auth, .p256dh),
        ("\(point)=", auth, .p256dh),
        ("C\(point.dropFirst())", auth, .p256dh),
        // Not on the curve.
        ("\(point.dropLast(4))AAAA", auth, .p256dh),
        (point, "", .auth),
        (point, "\(auth)AA", .auth),
        (point, String(auth.dropLast(2)), .auth),
        (point, "!\(auth.dropFirst())", .auth),
    ]

    @Test("keys that are none", arguments: badKeyCases)
    func badKeys(p256dh: String, auth: String, fault: WebPushSubscriptionFault) {
        #expect(throws: fault) {
            try WebPushSubscription(endpoint: "https://push.example.net/", p256dh: p256dh, auth: auth)
        }
    }

    @Test("ports are allowed by the rules: 443 unless they say otherwise")
    func ports() throws {
        let endpoint = "https://push.example.net:8443/"
        #expect(throws: WebPushSubscriptionFault.port) {
            try WebPushSubscription(endpoint: endpoint, p256dh: Self.point, auth: Self.auth)
        }
        var rules = WebPushRules()
        rules.ports = [443...443, 8000...9000]
        #expect(
            try WebPushSubscription(endpoint: endpoint, p256dh: Self.point, auth: Self.auth, rules: rules).origin.port
                == 8443
        )
        #expect(throws: WebPushSubscriptionFault.endpoint) {
            try WebPushSubscription(endpoint: "http://push.example.net/", p256dh: Self.point, auth: Self.auth)
        }
    }

    @Test("the largest payload gives a body of 4096 bytes, and one more is refused")
    func payload() throws {
        #expect(WebPushRequest.payloadLimit == 3993)
        #expect(try request(payload: 3993).body.count == 4096)
        #expect(try request(payload: 0).body.count == 103)
        #expect(throws: WebPushRequestFault.payloadTooLarge(limit: 3993)) { try request(payload: 3994) }
    }

    @Test("times to live and topics within their bounds")
    func fields() throws {
        #expect(try request(timeToLive: 0).timeToLive == 0)
        #expect(throws: WebPushRequestFault.timeToLive) { try request(timeToLive: -1) }
        #expect(throws: WebPushRequestFault.timeToLive) { try request(timeToLive: 28 * 24 * 3600 + 1) }
        #expect(try request(topic: String(repeating: "-", count: 32)).topic != nil)
        for topic in ["", String(repeating: "a", count: 33), "a+b", "a b", "\u{e9}"] {
            #expect(throws: WebPushRequestFault.topic) { try request(topic: topic) }
        }
    }

    @Test("equal texts have equal topics, different ones different")
    func topics() throws {
        #expect(WebPushTopic.of("p:session") == WebPushTopic.of("p:session"))
        #expect(WebPushTopic.of("p:session") != WebPushTopic.of("q:session"))
        #expect(try request(topic: WebPushTopic.of("")).topic?.utf8.count == 32)
    }

    @Test("urgent ones are above others")
    func urgency() {
        #expect(WebPushUrgency.allCases.sorted() == [.veryLow, .low, .normal, .high])
    }
}
