package import EventModel
package import HTTPModel
internal import JSON
internal import Persistence

package enum PushDecisionQuery: Sendable, Equatable {
    case event(EventID)
    case push(EventID)
    case latest(Int)
}

/// Test pushes, and the reasons why a push was or was not sent.
extension PushAPIService {
    /// Adds a test notice for the device to the outbox.
    package func sendTest(for caller: PushCaller) async throws(APIError) -> [UInt8] {
        let device = try caller.meant()
        guard isOn else { throw PushAPIService.off }
        let now = clock()
        var random = SystemRandomNumberGenerator()
        let key = Notification.testPrefix + EventID.version7(at: now, using: &random).description
        let notice = Notification(testKey: key, now: now)
        let names = try await database.use { store throws(PersistenceError) in
            try await store.addPushNotice(notice, for: device, now: now)
        }
        dispatcher?.outboxFilled()
        guard !names.isEmpty else {
            throw APIError(
                .conflict,
                status: 409,
                code: "no_push_token",
                message: "The device has no active push token. The app has to register one first."
            )
        }
        return PushAPIService.object { writer in
            writer.field("device_id", String(device.rawValue))
            writer.beginArray("apns_ids")
            for name in names { writer.string(name.description) }
            writer.endArray()
        }
    }

    /// Sends a push to a nonexistent device. Apple's answer shows whether the key is valid.
    package func checkKey(_ environment: NewPushToken.Environment) async throws(APIError) -> [UInt8] {
        guard let push = dispatcher?.environment, let message = push.composer.keyCheck(environment, now: clock())
        else { throw PushAPIService.off }
        let outcome = await withCheckedContinuation { continuation in
            push.transports.submit(message, permission: nil) { continuation.resume(returning: $0) }
        }
        let check = PushKeyCheck(outcome)
        return PushAPIService.object { writer in
            writer.field("environment", environment.rawValue)
            writer.field("verdict", check.verdict.rawValue)
            writer.field("status", check.status.map(Int64.init))
            writer.field("reason", check.reason)
            writer.field("message", check.message)
        }
    }

    package func decisions(_ query: PushDecisionQuery) async throws(APIError) -> [UInt8] {
        let notices = try await database.use { store throws(PersistenceError) in
            switch query {
            case .latest(let limit): try await store.pushHistory(latest: limit)
            case .push(let id): try await store.pushHistory(ofPush: id)
            case .event(let id): try await store.pushHistory(ofEvent: id)
            }
        }
        var remark: String?
        if notices.isEmpty {
            switch query {
            case .latest: break
            case .push: throw .notFound("push_not_found", "There is no push of that id, or it was forgotten.")
            case .event(let id): remark = try await reasonForNothing(ofEvent: id)
            }
        }
        return PushAPIService.object { writer in
            writer.beginArray("notices")
            for notice in notices { notice.write(to: &writer) }
            writer.endArray()
            writer.field("remark", remark)
        }
    }

    /// Explains, as text for people, why an event raised no notice.
    private func reasonForNothing(ofEvent id: EventID) async throws(APIError) -> String {
        let places = try await database.use { store throws(PersistenceError) in
            try await store.pushProgress(ofEvent: id)
        }
        guard let places else { throw .notFound("event_not_found", "There is no event of that id.") }
        if dispatcher == nil { return "Pushes are switched off on this server." }
        return places.judged < places.seq
            ? "The event has not been judged yet."
            : "The event was not worth telling, or nobody had registered for pushes when it was judged."
    }

    private static var off: APIError {
        APIError(
            .conflict,
            status: 409,
            code: "push_off",
            message: "Pushes are switched off on this server: it has no key. See docs/push.md."
        )
    }
}

extension Notification {
    /// The prefix of the keys of tests.
    static let testPrefix = "test:"

    fileprivate init(testKey key: String, now: Timestamp) {
        self.init(
            key: key,
            kind: .question,
            place: NotificationPlace(),
            seq: 0,
            raisedAt: now,
            notBefore: now,
            expiresAt: now.adding(seconds: 600),
            collapseID: "test",
            details: NotificationDetails(summary: "This is a test.", reason: "test")
        )
    }
}
