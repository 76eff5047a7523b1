internal import Access
internal import ClientAPI
internal import EventModel
internal import HTTPModel
internal import Persistence
internal import PushGateway
internal import PushPolicy

/// Push tokens, preferences and decisions, as the API asks for them.
struct PushAdministrator: PushAdministration {
    let database: Database
    let authenticator: Authenticator
    /// `nil`: switched off. Tokens and preferences are kept all the same.
    let service: PushService?
    let audit: AccessAudit
    let clock: @Sendable () -> Timestamp

    var condition: PushOffer {
        PushOffer(
            apns: service?.transports.topic != nil,
            topic: service?.transports.topic,
            applicationServerKey: service?.transports.applicationServerKey
        )
    }

    func caller(of request: HTTPRequest, named: String?) throws(APIError) -> PushCaller {
        let principal = try authenticator.authenticate(request)
        return PushCaller(principal, named: named, origin: Caller(request, principal))
    }

    func register(_ token: NewPushToken, of device: DeviceID) async throws(APIError) -> PushTokenRecord {
        if let keys = token.keys { try check(token.token, keys) }
        let now = clock()
        if let zone = token.timeZone,
            try await !database.use({ store throws(PersistenceError) in try await store.isTimeZone(zone) })
        {
            throw .invalid("invalid_parameter", "'time_zone' must be an IANA name.", param: "time_zone")
        }
        let record = try await database.use { store throws(PersistenceError) in
            try await store.registerPushToken(token, of: device, now: now)
        }
        guard let record else { throw PushAdministrator.unknownDevice }
        if token.kind == .activityUpdate { service?.activities.somethingCame() }
        return record
    }

    /// What the sender would refuse is refused here, while somebody listens.
    private func check(_ endpoint: String, _ keys: NewPushToken.BrowserKeys) throws(APIError) {
        do throws(WebPushSubscriptionFault) {
            let rules = service?.transports.webPushRules ?? WebPushRules()
            _ = try WebPushSubscription(endpoint: endpoint, p256dh: keys.p256dh, auth: keys.auth, rules: rules)
        } catch {
            let param = error == .p256dh || error == .auth ? "keys" : "endpoint"
            throw .invalid("invalid_parameter", "The subscription is not usable: \(error).", param: param)
        }
    }

    func tokens(of device: DeviceID?) async throws(APIError) -> [PushTokenRecord] {
        try await database.use { store throws(PersistenceError) in try await store.pushTokens(of: device) }
    }

    func removeTokens(of device: DeviceID, id: Int64?) async throws(APIError) -> Int64 {
        let now = clock()
        let removed = try await database.use { store throws(PersistenceError) in
            try await store.removePushTokens(of: device, id: id, now: now)
        }
        service?.counts.add(removed.withdrawn)
        return removed.tokens
    }

    func preferences(_ scope: PushScope) async throws(APIError) -> PushPreferencesAnswer {
        let layers = try await database.use { store throws(PersistenceError) in
            try await store.pushPreferences([PushScope(.default), scope])
        }
        let own = layers.first { $0.scope == scope }
        let read = PreferenceLayers(layers)
        let effective = read.resolved(
            device: scope.kind == .device ? Int64(scope.subject).map(DeviceID.init(rawValue:)) : nil,
            workspaceID: scope.kind == .project ? scope.subject : nil,
            sessionID: scope.kind == .session ? scope.subject : nil
        )
        return PushPreferencesAnswer(
            stored: own?.settings ?? Array("{}".utf8),
            effective: effective.asPreferences.json(),
            updatedAt: own?.updatedAt
        )
    }

    func setPreferences(
        _ changeable: ChangeablePushScope,
        _ settings: [UInt8]
    ) async throws(APIError) -> PushPreferencesAnswer {
        let scope = changeable.scope
        let preferences: PushPreferences
        do throws(PreferencesError) {
            preferences = try PushPreferences(json: settings)
        } catch {
            throw .invalid(
                error.fault == .notJSON ? "invalid_json" : "invalid_parameter",
                "\(error).",
                param: error.field.isEmpty ? nil : error.field
            )
        }
        let layer = PushPreferenceLayer(scope: scope, settings: preferences.json(), updatedAt: clock())
        let isKept = try await database.use { store throws(PersistenceError) in
            try await store.setPushPreferences(layer)
        }
        guard isKept else { throw PushAdministrator.unknown(scope) }
        await note(.setPushPreferences, changeable, .granted)
        return try await self.preferences(scope)
    }

    func removePreferences(_ changeable: ChangeablePushScope) async throws(APIError) -> Bool {
        let scope = changeable.scope
        let isRemoved = try await database.use { store throws(PersistenceError) in
            try await store.removePushPreferences(scope)
        }
        if isRemoved { await note(.removePushPreferences, changeable, .granted) }
        return isRemoved
    }

    private func note(_ action: AuditAction, _ changed: ChangeablePushScope, _ result: AuditResult) async {
        let object = [changed.scope.kind.rawValue, changed.scope.subject].filter { !$0.isEmpty }
        await audit.record(action, on: object.joined(separator: ":"), result, changed.caller.origin)
    }

    func sendTest(to device: DeviceID) async throws(APIError) -> [EventID] {
        let now = clock()
        var random = SystemRandomNumberGenerator()
        let key = PushNotice.testPrefix + EventID.version7(at: now, using: &random).description
        let notice = PushNotice(testKey: key, now: now)
        let names = try await database.use { store throws(PersistenceError) in
            try await store.addPushNotice(NewPushNotice(notice, eventID: nil), for: device, now: now)
        }
        service?.outboxFilled()
        return names
    }

    func checkKey(_ environment: NewPushToken.Environment) async throws(APIError) -> PushKeyCheck {
        guard let transports = service?.transports, let message = transports.probe(environment, now: clock()) else {
            throw .notFound("push_off", "Pushes to apps are switched off on this server.")
        }
        let result = await withCheckedContinuation { continuation in
            transports.submit(message) { continuation.resume(returning: $0) }
        }
        return PushKeyCheck(result)
    }

    func decisions(_ query: PushDecisionQuery) async throws(APIError) -> PushDecisionAnswer {
        switch query {
        case .latest(let limit):
            let notices = try await database.use { store throws(PersistenceError) in
                try await store.pushHistory(latest: limit)
            }
            return PushDecisionAnswer(notices: notices, remark: nil)
        case .push(let id):
            let notices = try await database.use { store throws(PersistenceError) in
                try await store.pushHistory(ofPush: id)
            }
            guard !notices.isEmpty else {
                throw .notFound("push_not_found", "There is no push of that id, or it was forgotten.")
            }
            return PushDecisionAnswer(notices: notices, remark: nil)
        case .event(let id): return try await decisions(ofEvent: id)
        }
    }

    private func decisions(ofEvent id: EventID) async throws(APIError) -> PushDecisionAnswer {
        let notices = try await database.use { store throws(PersistenceError) in
            try await store.pushHistory(ofEvent: id)
        }
        guard notices.isEmpty else { return PushDecisionAnswer(notices: notices, remark: nil) }
        let places = try await database.use { store throws(PersistenceError) in
            try await store.pushProgress(ofEvent: id)
        }
        guard let places else { throw .notFound("event_not_found", "There is no event of that id.") }
        let remark =
            service == nil
            ? "Pushes are switched off on this server."
            : places.judged < places.seq
                ? "The event has not been judged yet."
                : "The event was not worth telling, or nobody had registered for pushes when it was judged."
        return PushDecisionAnswer(notices: [], remark: remark)
    }

    private static func unknown(_ scope: PushScope) -> APIError {
        switch scope.kind {
        case .default, .device: unknownDevice
        case .project: .notFound("project_not_found", "There is no project of that id.")
        case .session: .notFound("session_not_found", "There is no session of that id.")
        }
    }

    private static var unknownDevice: APIError {
        .notFound("device_not_found", "There is no device of that id that is not revoked or signed out.")
    }
}

extension PushNotice {
    /// Of the keys of tests.
    static let testPrefix = "test:"

    fileprivate init(testKey key: String, now: Timestamp) {
        self.init(
            key: key,
            kind: .question,
            place: NoticePlace(),
            seq: 0,
            raisedAt: now,
            notBefore: now,
            expiresAt: now.adding(seconds: 600),
            collapseID: "test",
            details: NoticeDetails(summary: "This is a test.", reason: "test")
        )
    }
}
