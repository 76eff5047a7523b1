package import EventModel
package import HTTPModel
package import JSON
internal import Persistence
internal import PushGateway
internal import Signing

/// Push tokens and preferences, independent of the interface. Answers are JSON objects.
package struct PushAPIService: Sendable {
    /// Records that a caller has replaced or removed a layer of preferences.
    package typealias Audit = @Sendable (_ layer: String, _ isRemoved: Bool, PushCaller) async -> Void

    let database: any NotificationDatabase
    /// `nil` if pushes are disabled. Tokens and preferences are stored all the same.
    let dispatcher: PushDispatcher?
    let counts: PushCounts
    let clock: @Sendable () -> Timestamp
    private let audit: Audit

    package init(
        database: any NotificationDatabase,
        dispatcher: PushDispatcher?,
        counts: PushCounts,
        clock: @escaping @Sendable () -> Timestamp,
        audit: @escaping Audit
    ) {
        self.database = database
        self.dispatcher = dispatcher
        self.counts = counts
        self.clock = clock
        self.audit = audit
    }

    private var transports: (any PushTransports)? { dispatcher?.environment.transports }

    /// The server's push settings for clients.
    package func offer() -> [UInt8] {
        PushAPIService.object { writer in
            writer.field("status", isOn ? "on" : "off")
            writer.beginObject("apns")
            writer.field("available", transports?.topic != nil)
            writer.field("topic", transports?.topic)
            writer.endObject()
            writer.beginObject("webpush")
            writer.field("available", transports?.applicationServerKey != nil)
            writer.field("application_server_key", transports?.applicationServerKey)
            writer.endObject()
        }
    }

    var isOn: Bool { transports?.topic != nil || transports?.applicationServerKey != nil }

    /// Returns the device's own tokens, or all tokens for the operator.
    package func tokens(for caller: PushCaller) async throws(APIError) -> [UInt8] {
        try caller.requireDevice()
        let records = try await database.use { store throws(PersistenceError) in
            try await store.pushTokens(of: caller.device)
        }
        return PushAPIService.object { writer in
            writer.beginArray("tokens")
            for record in records { record.write(to: &writer) }
            writer.endArray()
        }
    }

    /// - Parameter body: the device's push address, as JSON.
    package func register(_ body: JSONValue, for caller: PushCaller) async throws(APIError) -> [UInt8] {
        let device = try caller.meant()
        let token = try PushTokenBody(body).token()
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
        guard let record else { throw PushAPIService.unknownDevice }
        if token.kind == .activityUpdate { dispatcher?.activities.somethingCame() }
        var writer = JSONWriter(reserving: 512)
        record.write(to: &writer)
        return writer.bytes
    }

    /// Rejects at registration what the sender would reject, while the client can still react.
    private func check(_ endpoint: String, _ keys: NewPushToken.BrowserKeys) throws(APIError) {
        do throws(WebPushSubscriptionFault) {
            let rules = transports?.webPushRules ?? WebPushRules()
            _ = try WebPushSubscription(endpoint: endpoint, p256dh: keys.p256dh, auth: keys.auth, rules: rules)
        } catch {
            let param = error == .p256dh || error == .auth ? "keys" : "endpoint"
            throw .invalid("invalid_parameter", "The subscription is not usable: \(error).", param: param)
        }
    }

    /// - Parameter id: the token to remove; `nil` means all tokens of the device.
    package func removeTokens(id: String?, for caller: PushCaller) async throws(APIError) -> [UInt8] {
        let device = try caller.meant()
        let number = id.flatMap { Int64($0) }
        guard id == nil || number != nil else { throw PushAPIService.unknownToken }
        let now = clock()
        let removed = try await database.use { store throws(PersistenceError) in
            try await store.removePushTokens(of: device, id: number, now: now)
        }
        counts.add(removed.withdrawn)
        if id != nil, removed.tokens == 0 { throw PushAPIService.unknownToken }
        return PushAPIService.object { $0.field("removed", removed.tokens) }
    }

    package func preferences(_ layer: PushLayer, for caller: PushCaller) async throws(APIError) -> [UInt8] {
        try await preferences(try layer.readable(by: caller))
    }

    /// - Parameter settings: the received JSON; it replaces the stored settings.
    package func setPreferences(
        _ layer: PushLayer,
        _ settings: [UInt8],
        for caller: PushCaller
    ) async throws(APIError) -> [UInt8] {
        let scope = try layer.changeable(by: caller)
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
        let stored = PushPreferenceLayer(scope: scope, settings: preferences.json(), updatedAt: clock())
        let isKept = try await database.use { store throws(PersistenceError) in
            try await store.setPushPreferences(stored)
        }
        guard isKept else { throw PushAPIService.unknown(scope) }
        await audit(scope.auditName, false, caller)
        return try await self.preferences(scope)
    }

    package func removePreferences(_ layer: PushLayer, for caller: PushCaller) async throws(APIError) -> [UInt8] {
        let scope = try layer.changeable(by: caller)
        let isRemoved = try await database.use { store throws(PersistenceError) in
            try await store.removePushPreferences(scope)
        }
        if isRemoved { await audit(scope.auditName, true, caller) }
        return try await preferences(scope)
    }

    /// Returns the stored settings of the layer and the effective ones with the more general layers.
    private func preferences(_ scope: PushScope) async throws(APIError) -> [UInt8] {
        let layers = try await database.use { store throws(PersistenceError) in
            try await store.pushPreferences([PushScope(.default), scope])
        }
        let own = layers.first { $0.scope == scope }
        let effective = PreferenceLayers(layers).resolved(
            device: scope.kind == .device ? Int64(scope.subject).map(DeviceID.init(rawValue:)) : nil,
            workspaceID: scope.kind == .project ? scope.subject : nil,
            sessionID: scope.kind == .session ? scope.subject : nil
        )
        return PushAPIService.object { writer in
            writer.field("scope", scope.kind.rawValue)
            writer.field("id", scope.subject.isEmpty ? nil : scope.subject)
            writer.field("preferences", json: own?.settings ?? Array("{}".utf8))
            writer.field("effective", json: effective.asPreferences.json())
            writer.field("updated_at", own?.updatedAt.description)
        }
    }

    static func object(_ fields: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter(reserving: 512)
        writer.beginObject()
        fields(&writer)
        writer.endObject()
        return writer.bytes
    }

    private static func unknown(_ scope: PushScope) -> APIError {
        switch scope.kind {
        case .default, .device: unknownDevice
        case .project: .notFound("project_not_found", "There is no project of that id.")
        case .session: .sessionNotFound
        }
    }

    private static var unknownDevice: APIError {
        .notFound("device_not_found", "There is no device of that id that is not revoked or signed out.")
    }

    private static var unknownToken: APIError {
        .notFound("push_token_not_found", "The device has no push token of that id.")
    }
}

extension PushScope {
    fileprivate var auditName: String { [kind.rawValue, subject].filter { !$0.isEmpty }.joined(separator: ":") }
}

extension PushTokenRecord {
    /// Omits the token itself and its keys.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("id", String(id))
        writer.field("device_id", String(device.rawValue))
        writer.field("kind", content.kind.rawValue)
        writer.field("fingerprint", fingerprint)
        writer.field("session_id", content.sessionID)
        writer.field("environment", content.environment?.rawValue)
        writer.field("topic", content.topic)
        writer.field("sealed", content.encryptionKey != nil)
        writer.field("locale", content.locale)
        writer.field("time_zone", content.timeZone)
        writer.field("app_version", content.appVersion)
        writer.field("state", state.rawValue)
        writer.field("state_reason", stateReason)
        writer.field("registered_at", registeredAt.description)
        writer.field("last_ok_at", lastOkAt?.description)
        writer.endObject()
    }
}
