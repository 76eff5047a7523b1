package import EventModel
package import Persistence

/// Push tokens and preferences. The changes are durable when these functions return.
extension PostgresStore {
    /// Returns `nil` if the device does not exist, is revoked or is signed out.
    func registerPushToken(
        _ token: NewPushToken,
        of device: DeviceID,
        now: Timestamp
    ) async throws(PersistenceError) -> PushTokenRecord? {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(
                of: device,
                token.kind,
                token.sessionID,
                token.token,
                RawBytes(bytes: token.sha256),
                token.environment,
                token.topic,
                token.keys?.p256dh,
                token.keys?.auth,
                token.encryptionKey.map(RawBytes.init(bytes:)),
                token.locale,
                token.timeZone,
                token.appVersion,
                token.allowsFrequentUpdates,
                now
            )
            guard let row = try connection.query(PushTokenStatements.register, parameters).firstRow else { return nil }
            if let session = token.sessionID {
                let arrival = Parameters(of: device, session, now)
                _ = try connection.query(LiveActivityStatements.tokenArrived, arrival)
            }
            return try row.value()
        }
    }

    /// Whether the database knows a time zone with this name.
    func isTimeZone(_ name: String) async throws(PersistenceError) -> Bool {
        try await run { connection throws(PersistenceError) in
            try connection.query(PushTokenStatements.isTimeZone, Parameters(of: name)).firstValue() ?? false
        }
    }

    /// `nil` means all devices.
    func pushTokens(of device: DeviceID?) async throws(PersistenceError) -> [PushTokenRecord] {
        try await run { connection throws(PersistenceError) in
            try connection.query(PushTokenStatements.ofDevice, Parameters(of: device)).values()
        }
    }

    /// Removes one token, or all tokens of the device, with their waiting deliveries.
    package func removePushTokens(
        of device: DeviceID,
        id: Int64? = nil,
        now: Timestamp
    ) async throws(PersistenceError) -> RemovedPushTokens {
        try await run { connection throws(PersistenceError) in
            let result = try connection.query(PushTokenStatements.remove, Parameters(of: device, id, now))
            return RemovedPushTokens(
                tokens: try result.firstValue() ?? 0,
                withdrawn: try PushTally(result, from: 1)
            )
        }
    }

    /// Returns the given layers that are stored.
    func pushPreferences(_ scopes: [PushScope]) async throws(PersistenceError) -> [PushPreferenceLayer] {
        try await run { connection throws(PersistenceError) in
            try PushPreferenceLayer.read(scopes, on: connection)
        }
    }

    func setPushPreferences(_ layer: PushPreferenceLayer) async throws(PersistenceError) -> Bool {
        try await runProjected { connection throws(PersistenceError) in
            let parameters = Parameters(
                of: layer.scope.kind,
                layer.scope.subject,
                TextBytes(bytes: layer.settings),
                layer.updatedAt
            )
            return try connection.query(PushTokenStatements.setPreferences, parameters).firstRow != nil
        }
    }

    /// Returns whether the layer existed.
    func removePushPreferences(_ scope: PushScope) async throws(PersistenceError) -> Bool {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: scope.kind, scope.subject)
            return try connection.query(PushTokenStatements.removePreferences, parameters).affectedRows > 0
        }
    }
}

extension PushPreferenceLayer {
    static func read(
        _ scopes: [PushScope],
        on connection: PQConnection
    ) throws(PersistenceError) -> [PushPreferenceLayer] {
        let parameters = Parameters(of: PushTokenStatements.scopes.arrays(scopes))
        return try connection.query(PushTokenStatements.preferences, parameters).map { row throws(PersistenceError) in
            try row.make { kind, subject, settings, updatedAt in
                PushPreferenceLayer(scope: PushScope(kind, subject), settings: settings, updatedAt: updatedAt)
            }
        }
    }
}

/// Decodes the columns that `PushTokenStatements.columns` selects, in that order.
extension PushTokenRecord: PGColumn {
    static var columnCount: Int { 20 }

    init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        let (id, device, kind, sessionID, token): (Int64, DeviceID, NewPushToken.Kind, String?, String) =
            try row.values(from: column)
        content = NewPushToken(kind: kind, token: token, sha256: try row.value(column + 5))
        content.sessionID = sessionID
        let p256dh, auth: String?
        (content.environment, content.topic, p256dh, auth) = try row.values(from: column + 6)
        if let p256dh, let auth { content.keys = NewPushToken.BrowserKeys(p256dh: p256dh, auth: auth) }
        (content.encryptionKey, content.locale, content.timeZone) = try row.values(from: column + 10)
        (content.appVersion, content.allowsFrequentUpdates) = try row.values(from: column + 13)
        (registeredAt, lastOkAt, failures, state, stateReason) = try row.values(from: column + 15)
        (self.id, self.device) = (id, device)
    }
}

extension PushScope.Kind: PGEncodable, PGColumn {}
extension NewPushToken.Kind: PGEncodable, PGColumn {}
extension NewPushToken.Environment: PGEncodable, PGColumn {}
extension PushTokenRecord.State: PGEncodable, PGColumn {}
