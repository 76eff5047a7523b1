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
                of: device.rawValue,
                token.kind.rawValue,
                token.sessionID,
                token.token,
                RawBytes(bytes: token.sha256),
                token.environment?.rawValue,
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
                let arrival = Parameters(of: device.rawValue, session, now)
                _ = try connection.query(LiveActivityStatements.tokenArrived, arrival)
            }
            return try PushTokenRecord(row, from: 0)
        }
    }

    /// Whether the database knows a time zone with this name.
    func isTimeZone(_ name: String) async throws(PersistenceError) -> Bool {
        try await run { connection throws(PersistenceError) in
            try connection.query(PushTokenStatements.isTimeZone, Parameters(of: name)).firstRow?.bool(0) ?? false
        }
    }

    /// `nil` means all devices.
    func pushTokens(of device: DeviceID?) async throws(PersistenceError) -> [PushTokenRecord] {
        try await run { connection throws(PersistenceError) in
            try connection.query(PushTokenStatements.ofDevice, Parameters(of: device?.rawValue)).map {
                row throws(PersistenceError) in try PushTokenRecord(row, from: 0)
            }
        }
    }

    /// Removes one token, or all tokens of the device, with their waiting deliveries.
    package func removePushTokens(
        of device: DeviceID,
        id: Int64? = nil,
        now: Timestamp
    ) async throws(PersistenceError) -> RemovedPushTokens {
        try await run { connection throws(PersistenceError) in
            let result = try connection.query(PushTokenStatements.remove, Parameters(of: device.rawValue, id, now))
            return RemovedPushTokens(
                tokens: try result.firstRow?.int64(0) ?? 0,
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
                of: layer.scope.kind.rawValue,
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
            let parameters = Parameters(of: scope.kind.rawValue, scope.subject)
            return try connection.query(PushTokenStatements.removePreferences, parameters).affectedRows > 0
        }
    }
}

extension PushPreferenceLayer {
    static func read(
        _ scopes: [PushScope],
        on connection: PQConnection
    ) throws(PersistenceError) -> [PushPreferenceLayer] {
        var parameters = Parameters(reserving: 64 * scopes.count + 64)
        parameters.add(array: scopes.map(\.kind.rawValue))
        parameters.add(array: scopes.map(\.subject))
        return try connection.query(PushTokenStatements.preferences, parameters).map { row throws(PersistenceError) in
            guard let kind = PushScope.Kind(rawValue: try row.text(0)) else {
                throw PersistenceError(.malformedReply, "a scope of push preferences is not known")
            }
            return PushPreferenceLayer(
                scope: PushScope(kind, try row.text(1)),
                settings: try row.bytes(2),
                updatedAt: try row.timestamp(3)
            )
        }
    }
}

extension PushTokenRecord {
    static let columnCount = 20

    /// Decodes the columns of `PushTokenStatements.columns`, from column `first`.
    init(_ row: PQRow, from first: Int) throws(PersistenceError) {
        guard let kind = NewPushToken.Kind(rawValue: try row.text(first + 2)),
            let state = State(rawValue: try row.text(first + 18))
        else { throw PersistenceError(.malformedReply, "kind or state of a push token is not known") }
        var content = NewPushToken(kind: kind, token: try row.text(first + 4), sha256: try row.bytes(first + 5))
        content.sessionID = row.optionalText(first + 3)
        content.environment = row.optionalText(first + 6).flatMap(NewPushToken.Environment.init(rawValue:))
        content.topic = row.optionalText(first + 7)
        if let p256dh = row.optionalText(first + 8), let auth = row.optionalText(first + 9) {
            content.keys = NewPushToken.BrowserKeys(p256dh: p256dh, auth: auth)
        }
        content.encryptionKey = row.optionalBytes(first + 10)
        content.locale = row.optionalText(first + 11)
        content.timeZone = row.optionalText(first + 12)
        content.appVersion = row.optionalText(first + 13)
        content.allowsFrequentUpdates = try row.bool(first + 14)
        self.init(
            id: try row.int64(first),
            device: DeviceID(rawValue: try row.int64(first + 1)),
            content: content,
            registeredAt: try row.timestamp(first + 15),
            lastOkAt: try row.optionalTimestamp(first + 16),
            failures: try row.int64(first + 17),
            state: state,
            stateReason: row.optionalText(first + 19)
        )
    }
}
