import EventModel
import JSON
import PushGateway
import Testing

@testable import Notifications

@Suite("Apple's alerts")
struct APNsPayloadTests {
    private let device = DeviceID(rawValue: 3)
    private static let secrets = ["rm -rf /srv", "Bash", "Shop", "studio", "s1", "toolu_1"]

    private func delivery(_ notice: Notification, _ privacy: PrivacyMode) -> Delivery? {
        var preferences = ResolvedPreferences()
        preferences.privacy = privacy
        for kind in NotificationKind.configurable { preferences.kinds[kind] = KindPreference(isEnabled: true) }
        let situation = DeliveryCase(
            notice: notice,
            preferences: preferences,
            device: DeviceSituation(id: device),
            now: at(300)
        )
        guard case .send(let delivery) = DeliveryRules.decide(situation) else { return nil }
        return delivery
    }

    private func secret(_ kind: NotificationKind, length: Int = 1) -> Notification {
        var notice = notice(
            kind,
            details: NotificationDetails(
                toolName: "Bash",
                toolUseID: "toolu_1",
                summary: String(repeating: "rm -rf /srv ", count: length),
                sessionTitle: "Shop",
                durationSeconds: 300,
                pending: 2
            )
        )
        notice.details.reason = kind == .error ? "overloaded" : nil
        return notice
    }

    /// Base64 of the plaintext: what a cipher would make as long.
    private func sealing(_ seen: @escaping @Sendable ([UInt8], [UInt8]) -> Void = { _, _ in }) -> Sealing {
        Sealing(device: device, messageID: "5d1f0d64-0f04-4c4e-8a0f-1f9d0a2b7c11") { plaintext, additional in
            seen(plaintext, additional)
            return String(repeating: "A", count: (plaintext.count + 28 + 2) / 3 * 4)
        }
    }

    private func payload(_ notice: Notification, _ privacy: PrivacyMode, _ sealing: Sealing? = nil) -> [UInt8]? {
        delivery(notice, privacy).map { APNsPayload.bytes(for: notice, delivery: $0, sealing: sealing) }
    }

    @Test("headers are those of the delivery")
    func headers() throws {
        let notice = secret(.permission)
        let delivery = try #require(self.delivery(notice, .plain))
        let composer = PushComposer(topic: "com.example.app", webPushRules: nil)
        let token = PushSample.token()
        let push = try composer.request(PushSample.claimed(), notice, delivery, token, channel: "", now: at(300))
        guard case .apns(let request, _) = push.message else {
            Issue.record("it is not for Apple")
            return
        }
        #expect(request.pushType == .alert)
        #expect(request.priority == .immediate)
        #expect(request.expiration == .at(at(600).microseconds / 1_000_000))
        #expect(request.collapseID == notice.collapseID)
    }

    @Test("a plain alert says what there is to say")
    func plain() {
        let body = parse(payload(secret(.permission), .plain) ?? [])
        let aps = body["aps"]
        #expect(aps?["alert"]?["title"]?.string == "Bash needs permission")
        #expect(aps?["alert"]?["subtitle"]?.string == "Shop")
        #expect(aps?["alert"]?["body"]?.string == "2 requests wait. rm -rf /srv ")
        #expect(aps?["sound"]?.string == "default")
        #expect(aps?["category"]?.string == "PERMISSION")
        #expect(aps?["interruption-level"]?.string == "time-sensitive")
        #expect(aps?["relevance-score"]?.integer == 1)
        #expect(aps?["mutable-content"] == nil)
        #expect(body["monitor"]?["session_id"]?.string == "s1")
        #expect(body["monitor"]?["tool_use_id"]?.string == "toolu_1")
    }

    @Test("without plain mode no content is in the payload, of any kind", arguments: NotificationKind.allCases)
    func noContent(kind: NotificationKind) {
        for (privacy, sealing) in [(PrivacyMode.contentless, nil), (.sealed, self.sealing()), (.sealed, nil)] {
            guard let payload = payload(secret(kind), privacy, sealing) else {
                Issue.record("\(kind) was not sent")
                continue
            }
            let text = String(decoding: payload, as: UTF8.self) + secret(kind).collapseID
            for secret in APNsPayloadTests.secrets { #expect(!text.contains(secret), "\(kind): \(secret)") }
            #expect(parse(payload)["aps"]?["alert"]?["title-loc-key"]?.string == "push.\(kind.rawValue).title")
            #expect(parse(payload)["aps"]?["mutable-content"]?.integer == 1)
        }
    }

    @Test("the sealed content is complete, and bound to version, device and message")
    func sealed() async {
        await confirmation { confirm in
            let sealing = sealing { plaintext, additional in
                let content = parse(plaintext)
                #expect(content["session_id"]?.string == "s1")
                #expect(content["title"]?.string == "Bash needs permission")
                #expect(content["tool_use_id"]?.string == "toolu_1")
                #expect(content["prompt"]?.string == "p:1")
                #expect(additional == [1] + Array("3\0".utf8) + Array("5d1f0d64-0f04-4c4e-8a0f-1f9d0a2b7c11".utf8))
                confirm()
            }
            let body = parse(payload(secret(.permission), .sealed, sealing) ?? [])
            #expect(body["monitor"]?["sealed"]?.string?.hasPrefix("AAAA") == true)
            #expect(body["monitor"]?["ref"]?.string == "permission:1")
        }
    }

    @Test("where nothing can be sealed nothing is told in clear")
    func sealingFails() {
        let failing = Sealing(device: device, messageID: "m") { _, _ in nil }
        let body = parse(payload(secret(.permission), .sealed, failing) ?? [])
        #expect(body["monitor"]?["sealed"] == nil)
        #expect(body["monitor"]?["ref"] != nil)
    }

    @Test(
        "long content is cut until Apple takes it, at a character's end",
        arguments: [PrivacyMode.plain, .sealed, .contentless]
    )
    func shrinking(privacy: PrivacyMode) {
        for character in ["x", "😀", "\u{1}", "\"", "é"] {
            var notice = secret(.permission)
            notice.details.summary = String(repeating: character, count: 5000)
            notice.details.sessionTitle = notice.details.summary
            notice.place.projectName = notice.details.summary
            notice.place.machineName = notice.details.summary
            guard let payload = payload(notice, privacy, sealing()) else {
                Issue.record("not sent")
                continue
            }
            #expect(payload.count <= APNsPayload.limit)
            let body = parse(payload)
            #expect(body["aps"]?.isObject == true)
            if privacy == .sealed { #expect(body["monitor"]?["sealed"] != nil, "\(character)") }
            if privacy == .plain { #expect(body["aps"]?["alert"]?["body"]?.string?.hasSuffix("…") == true) }
        }
    }

    @Test("a resolution says in silence what still waits")
    func resolved() {
        for (pending, key) in [(0, "push.resolved.body"), (2, "push.resolved.body.pending")] {
            let notice = notice(.resolved, details: NotificationDetails(pending: pending))
            let alert = parse(payload(notice, .sealed, sealing()) ?? [])["aps"]
            #expect(alert?["alert"]?["loc-key"]?.string == key)
            #expect(alert?["sound"] == nil)
            #expect(alert?["interruption-level"]?.string == "passive")
        }
    }

    @Test("a digest counts")
    func digest() {
        let notice = notice(.digest, details: NotificationDetails(count: 7, sessions: 3))
        #expect(
            parse(payload(notice, .plain) ?? [])["aps"]?["alert"]?["body"]?.string == "7 updates in 3 sessions"
        )
        let arguments = parse(payload(notice, .contentless) ?? [])["aps"]?["alert"]?["loc-args"]
        #expect(arguments == .array([.string("7"), .string("3")]))
    }

    @Test("numbers as people write them")
    func numbers() {
        #expect(
            [59.4, 60, 61, 3600, 7290].map(NotificationText.duration) == [
                "59 s", "1 min", "1 min 1 s", "1 h 0 min", "2 h 1 min",
            ]
        )
        #expect([0.05, 5, 12.345, 1000].map(NotificationText.amount) == ["0.05", "5.00", "12.35", "1000.00"])
        #expect(NotificationText.digest(count: 1, sessions: 1) == "1 update in 1 session")
    }
}
