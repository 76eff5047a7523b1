import EventModel
import JSON
import PushGateway

@testable import EventIngest
@testable import Notifications

private let start = Timestamp(microseconds: 1_770_000_000_000_000)

/// From a machine's hooks to what a phone shows: whatever was let into the log is judged, kept and told.
let noticeFuzzers = [
    Fuzzer(name: "notices") { input in
        let (choice, rest) = input.choice
        let decoder = IngestDecoder(configuration: IngestConfiguration(contentPolicy: .full, maxBytes: 64 << 10))
        var detector = NotificationDetector()
        var plan = LiveActivityPlan()
        for (index, hook) in rest.split(separator: 0x0A, maxSplits: 16).enumerated() {
            let time = start.adding(seconds: Double(index) * Double(choice))
            let event = try? decoder.decodeHook(
                body: Array(hook),
                contentType: "application/json",
                contentEncoding: nil,
                machine: MachineID(rawValue: 1),
                machineName: "m",
                now: time
            )
            guard let event else { continue }
            for action in detector.take(CommittedEvent(seq: Int64(index) + 1, event: event, workspaceID: "ws-1")) {
                check(action, &plan, time)
            }
            // What the next page of the log finds.
            let kept = detector.changedSessions.compactMap {
                SessionMonitorState(sessionID: $0.sessionID, stored: $0.stored())
            }
            promise(kept == detector.changedSessions, "what is remembered of a session is read back")
            detector = NotificationDetector(sessions: kept)
        }
    }
]

private func check(_ action: NotificationAction, _ plan: inout LiveActivityPlan, _ now: Timestamp) {
    switch action {
    case .raise(let notice):
        check(notice, now)
    case .withdraw(let withdrawal):
        promise(withdrawal.promptKey.utf8.count <= 64, "a key has a length that can be stored")
        if let notice = withdrawal.resolved { check(notice, now) }
    case .confirm(let promptKey):
        promise(promptKey.utf8.count <= 64, "a key has a length that can be stored")
    case .updateActivity(let state):
        promise(ActivityState(stored: state.stored()) == state, "a session's state is read back")
        for step in plan.take(.state(state), at: now) + plan.take(.tokenArrived, at: now) {
            for privacy in PrivacyMode.allCases {
                let payload = LiveActivityPayload.bytes(step, privacy: privacy, now: now)
                promise(payload.count <= APNsPayload.limit, "Apple takes a Live Activity's push")
                promise((try? JSONValue.parse(payload)) != nil, "a Live Activity's push is JSON")
            }
        }
        promise(LiveActivityPlan(stored: plan.stored()) == plan, "how far an activity is is read back")
    }
}

private func check(_ notice: Notification, _ now: Timestamp) {
    promise(Notification(stored: notice.stored()) == notice, "a notice is read back")
    promise(max(notice.key.utf8.count, notice.collapseID.utf8.count) <= 64, "a key has a length that can be stored")
    for privacy in PrivacyMode.allCases {
        var preferences = ResolvedPreferences()
        preferences.privacy = privacy
        preferences.alwaysPush = true
        for kind in NotificationKind.configurable { preferences.kinds[kind] = KindPreference(isEnabled: true) }
        let situation = DeliveryCase(
            notice: notice,
            preferences: preferences,
            device: DeviceSituation(id: DeviceID(rawValue: 1)),
            now: DeliveryRules.firstDue(notice, preferences)
        )
        guard case .send(let delivery) = DeliveryRules.decide(situation) else { continue }
        let apple = APNsPayload.bytes(for: notice, delivery: delivery)
        promise(apple.count <= APNsPayload.limit, "Apple takes a notice")
        promise((try? JSONValue.parse(apple)) != nil, "a notice for Apple is JSON")
        let browser = WebPushMessage(for: notice, delivery: delivery, now: now)
        promise(browser.plaintext.count <= WebPushRequest.payloadLimit, "a browser's push fits into one record")
        promise((try? JSONValue.parse(browser.plaintext)) != nil, "a notice for a browser is JSON")
    }
}
