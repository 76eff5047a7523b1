@testable import HTTPClient
@testable import Notifications
@testable import PushGateway

/// What decides about pushes: what people prefer, what browsers and push services send, what is kept between events.
let pushFuzzers = [
    Fuzzer(name: "preferences") { input in
        guard let preferences = try? PushPreferences(json: input) else { return }
        let again = try? PushPreferences(json: preferences.json())
        promise(again == preferences, "preferences are read back")
    },
    Fuzzer(name: "webpush") { input in
        let text = input.text
        if let endpoint = WebPushEndpoint(text) {
            promise(endpoint.target.hasPrefix("/"), "a target is a path")
            promise(!endpoint.target.utf8.contains { $0 <= 0x20 || $0 >= 0x7F }, "and forges no header")
            promise(!endpoint.origin.host.isEmpty, "a host has a name")
        }
        _ = VAPIDSubject(text)
        var response = H2Response()
        response.status = 400 + Int(input.first ?? 0)
        response.fields = [("retry-after", text)]
        response.body = input
        let reason = PushAnswer(webPush: response).reasonText ?? ""
        promise(!reason.utf8.contains { $0 < 0x20 }, "a reason forges no line of the log")
    },
    Fuzzer(name: "judge") { input in
        if let plan = LiveActivityPlan(stored: input) {
            promise(LiveActivityPlan(stored: plan.stored()) == plan, "how far an activity is is read back")
            _ = plan.nextDue
        }
        if let notice = Notification(stored: input) {
            promise(Notification(stored: notice.stored()) == notice, "a notice is read back")
        }
        guard let watch = SessionMonitorState(sessionID: "s", stored: input) else { return }
        let again = SessionMonitorState(sessionID: "s", stored: watch.stored())
        promise(again?.stored() == watch.stored(), "what the judge remembers is read back")
    },
]
