import EventModel
import Testing

@testable import PushGateway

@Suite("APNsReaction")
struct APNsReactionTests {
    struct Row: Sendable {
        var status: Int
        var reason: APNsReason?
        var expected: PushReaction

        init(_ status: Int, _ reason: APNsReason?, _ expected: PushReaction) {
            self.status = status
            self.reason = reason
            self.expected = expected
        }
    }

    private static func reaction(
        _ retry: PushRetry = .never,
        token: PushReaction.Token = .keep,
        connection: PushConnectionVerdict = .keep,
        fault: PushReaction.Fault? = nil
    ) -> PushReaction {
        var reaction = PushReaction()
        reaction.retry = retry
        reaction.token = token
        reaction.connection = connection
        reaction.fault = fault
        return reaction
    }

    static let rows: [Row] = [
        Row(200, nil, reaction(token: .confirmed)),
        Row(400, .badCollapseID, reaction(fault: .request)),
        Row(400, .badExpirationDate, reaction(fault: .request)),
        Row(400, .badMessageID, reaction(fault: .request)),
        Row(400, .badPriority, reaction(fault: .request)),
        Row(400, .duplicateHeaders, reaction(fault: .request)),
        Row(400, .invalidPushType, reaction(fault: .request)),
        Row(400, .missingDeviceToken, reaction(fault: .request)),
        Row(400, .missingTopic, reaction(fault: .request)),
        Row(400, .payloadEmpty, reaction(fault: .request)),
        Row(404, .badPath, reaction(fault: .request)),
        Row(405, .methodNotAllowed, reaction(fault: .request)),
        Row(400, .badTopic, reaction(fault: .topic)),
        Row(400, .topicDisallowed, reaction(fault: .topic)),
        Row(400, .badDeviceToken, reaction(token: .quarantine)),
        Row(400, .deviceTokenNotForTopic, reaction(token: .quarantine)),
        Row(400, .idleTimeout, reaction(.onceElsewhere, connection: .retire)),
        Row(403, .badCertificate, reaction(fault: .environment)),
        Row(403, .badCertificateEnvironment, reaction(fault: .environment)),
        Row(403, .expiredProviderToken, reaction(.onceElsewhere, connection: .retire)),
        Row(403, .invalidProviderToken, reaction(fault: .key)),
        Row(403, .missingProviderToken, reaction(fault: .request)),
        Row(403, .unrelatedKeyIDInToken, reaction(.onceElsewhere, connection: .retire, fault: .key)),
        Row(403, .badEnvironmentKeyIDInToken, reaction(fault: .environment)),
        Row(403, .forbidden, reaction(fault: .key)),
        Row(410, .unregistered, reaction(token: .quarantine)),
        Row(410, .expiredToken, reaction(token: .quarantine)),
        Row(413, .payloadTooLarge, reaction(.onceSmaller, fault: .payload)),
        Row(
            429,
            .tooManyProviderTokenUpdates,
            reaction(.after(seconds: 1200), connection: .retire, fault: .tokenUpdates)
        ),
        Row(429, .tooManyRequests, reaction(.backOff(from: 60))),
        Row(500, .internalServerError, reaction(.backOff(from: 5))),
        Row(503, .serviceUnavailable, reaction(.backOff(from: 5))),
        Row(503, .shutdown, reaction(.onceElsewhere, connection: .retire)),
        Row(400, nil, reaction(fault: .request)),
        Row(403, nil, reaction(fault: .key)),
        Row(410, nil, reaction(token: .quarantine)),
        Row(413, nil, reaction(.onceSmaller, fault: .payload)),
        Row(418, nil, reaction(fault: .request)),
        Row(429, nil, reaction(.backOff(from: 60))),
        Row(502, nil, reaction(.backOff(from: 5))),
        Row(204, nil, reaction(fault: .unexpected)),
        Row(302, nil, reaction(fault: .unexpected)),
    ]

    @Test("every row of the table", arguments: rows)
    func table(row: Row) {
        #expect(PushReaction.apns(status: row.status, reason: row.reason) == row.expected)
    }

    @Test("the table names every reason")
    func complete() {
        #expect(Set(Self.rows.compactMap(\.reason)) == Set(APNsReason.allCases))
    }

    @Test(
        "410 drops a token only if it was registered before Apple found it gone",
        arguments: [
            (-1.0, PushReaction.Token.drop), (0, .keep), (1, .keep),
        ]
    )
    func gone(offset: Double, expected: PushReaction.Token) {
        let found = Timestamp(microseconds: 1_700_000_000_000_000)
        for reason in [APNsReason.unregistered, .expiredToken] {
            let reaction = PushReaction.apns(
                status: 410,
                reason: reason,
                timestamp: found,
                registeredAt: found.adding(seconds: offset)
            )
            #expect(reaction == Self.reaction(token: expected))
        }
        let withoutTimestamp = PushReaction.apns(status: 410, reason: .unregistered, registeredAt: found)
        #expect(withoutTimestamp.token == .quarantine)
    }

    @Test(
        "an expired provider token: by its age",
        arguments: [
            (10.0, PushRetry.never, PushReaction.Fault?.some(.clockSkew)),
            (1800, .never, .clockSkew), (1801, .onceElsewhere, .clockSkew), (3300, .onceElsewhere, nil),
        ]
    )
    func expired(age: Double, retry: PushRetry, fault: PushReaction.Fault?) {
        let reaction = PushReaction.apns(status: 403, reason: .expiredProviderToken, tokenAge: age)
        #expect(reaction == Self.reaction(retry, connection: .retire, fault: fault))
    }

    @Test("Retry-After says how long to wait", arguments: [0, 10, 5000])
    func retryAfter(seconds: Int) {
        for reason in [APNsReason.serviceUnavailable, .internalServerError, .tooManyRequests] {
            let status = reason == .tooManyRequests ? 429 : reason == .internalServerError ? 500 : 503
            let reaction = PushReaction.apns(status: status, reason: reason, retryAfter: seconds)
            #expect(reaction.retry == .after(seconds: seconds))
        }
    }
}
