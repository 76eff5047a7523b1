import EventModel
import JSON
import PushGateway
import Testing

@testable import Notifications

@Suite("Web Push messages")
struct WebPushMessageTests {
    private func message(
        _ kind: NotificationKind,
        _ privacy: PrivacyMode = .sealed,
        details: NotificationDetails = NotificationDetails(summary: "rm x"),
        actions: PromptActions? = nil,
        now: Double = 10
    ) -> WebPushMessage? {
        var notice = notice(kind, details: details)
        notice.actions = actions
        var preferences = ResolvedPreferences()
        preferences.privacy = privacy
        let situation = DeliveryCase(
            notice: notice,
            preferences: preferences,
            device: DeviceSituation(id: DeviceID(rawValue: 1)),
            now: at(now)
        )
        guard case .send(let delivery) = DeliveryRules.decide(situation) else { return nil }
        return WebPushMessage(for: notice, delivery: delivery, now: at(now))
    }

    @Test("urgency follows the level, and the time to live what is left of it")
    func headers() {
        #expect(message(.permission)?.urgency == .high)
        #expect(message(.finished)?.urgency == .normal)
        #expect(message(.resolved)?.urgency == .low)
        #expect(message(.permission)?.ttl == 590)
    }

    @Test("a topic is at most 32 characters of base64url, and the prompt's and its resolution's are one")
    func topic() {
        let topics = [NotificationKind.permission, .question, .finished, .error, .costThreshold].compactMap {
            message($0)?.topic
        }
        #expect(topics.count == 5)
        #expect(Set(topics).count == 5)
        for topic in topics {
            #expect(topic.utf8.count <= 32)
            #expect(topic.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
        }
    }

    @Test("what the push shows in part only can be denied from it, and not allowed")
    func actions() {
        let long = String(repeating: "x", count: 241)
        for (summary, isComplete, isAllowed) in [
            ("rm x", true, true), ("rm x", false, false), (long, true, false), (nil, false, false),
        ] {
            let offered = PromptActions(promptID: "prm_1", allow: "A", deny: "D")
            let details = NotificationDetails(toolName: "Bash", summary: summary, isSummaryComplete: isComplete)
            let body = parse(message(.permission, details: details, actions: offered)?.plaintext ?? [])
            #expect((body["prompt"]?["actions"]?["allow"]?.string == "A") == isAllowed, "\(summary ?? "-")")
            #expect(body["prompt"]?["actions"]?["deny"]?.string == "D")
            #expect(body["content"]?["complete"]?.bool == isAllowed)
            #expect(body["content"]?["answer"]?["actions"]?["allow"]?.string == (isAllowed ? "A" : nil))
        }
    }

    @Test("content is there unless it is not wanted; a title is always there")
    func content() {
        let body = parse(message(.permission)?.plaintext ?? [])
        #expect(body["content"]?["body"]?.string == "rm x")
        #expect(body["title"]?.string == "Claude needs permission")
        #expect(body["silent"]?.bool == false)
        #expect(body["require_interaction"]?.bool == true)
        let without = message(.permission, .contentless)?.plaintext ?? []
        #expect(!String(decoding: without, as: UTF8.self).contains("rm x"))
        #expect(parse(without)["title"]?.string == "Claude Code")
        #expect(parse(message(.resolved)?.plaintext ?? [])["silent"]?.bool == true)
    }

    @Test("long content is cut until it fits into a record")
    func shrinking() {
        for character in ["x", "😀", "\u{1}"] {
            let long = String(repeating: character, count: 5000)
            let message = message(.permission, details: NotificationDetails(summary: long, sessionTitle: long))
            #expect(message?.plaintext.count ?? .max <= WebPushRequest.payloadLimit)
            #expect(parse(message?.plaintext ?? [])["content"]?.isObject == true)
        }
    }
}
