import EventModel
import HTTPModel
import JSON

@testable import API
@testable import ClientAPI
@testable import Devices
@testable import Notifications
@testable import PushGateway

/// What devices and people send in bodies and paths beside events.
let bodyFuzzers = [
    Fuzzer(name: "bodies") { input in
        if let body = try? RequestObject(input), let device = try? NewDevice(body) {
            promise(device.name.unicodeScalars.count <= 100, "a name has a length that can be stored")
            promise(isStorable(device.name) && isStorable(device.platform), "PostgreSQL takes a device")
        }
        if let body = try? ProjectBody(input) {
            if let project = try? body.newProject() {
                promise(isStorable(project.name) && isStorable(project.path), "PostgreSQL takes a project")
                promise(project.settings.map { (try? JSONValue.parse($0)) != nil } ?? true, "settings are JSON")
            }
            _ = try? body.change()
        }
        guard let json = try? JSONValue.parse(input),
            let token = try? PushTokenBody(json).token()
        else { return }
        promise(token.token.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "a token forges no header")
        promise(token.encryptionKey.map { $0.count == 32 } ?? true, "a key is for AES-256")
        guard let keys = token.keys,
            let browser = try? WebPushSubscription(endpoint: token.token, p256dh: keys.p256dh, auth: keys.auth)
        else { return }
        promise(browser.origin.port == 443, "only ports that are allowed")
    },
    Fuzzer(name: "listing") { input in
        let lines = input.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false).map { Array($0).text }
        let query = QueryParameters(lines.last ?? "")
        if let paging = try? Paging(query, path: "/v1/events", .log),
            let events = try? LogPage.query(query, paging, epoch: "e")
        {
            promise((1...999).contains(paging.limit ?? 0), "a page has an end")
            promise((events.after ?? 0) >= 0 && (events.before ?? 0) >= 0, "a place is in the log")
        }
        if let paging = try? Paging(query, path: "/v1/sessions") {
            promise((1...200).contains(paging.limit ?? 0) && (paging.offset ?? 0) >= 0, "a page is in the list")
            let cursor = (try? ListCursor(paging)) ?? nil
            let page = ListPage(elements: Array("[]".utf8), count: 0, next: cursor?.text, hasMore: true, total: 1000)
            let request = RouteRequest(http: HTTPRequest(method: .get, path: "/v1/sessions"), parameters: [:])
            let answer = ListAnswer(paging, request, at: Timestamp(microseconds: 0)).response("sessions", page)
            promise((try? JSONValue.parse(answer.body)) != nil, "a page is JSON")
        }
        let template = PathTemplate("/v1/sessions/{id}/events")
        guard let parameters = template.match(PathTemplate.segments(of: lines[0])) else { return }
        promise(parameters.count == 1, "a path has the parameters of its template")
    },
]

private func isStorable(_ text: String?) -> Bool { !(text ?? "").utf8.contains(0) }
