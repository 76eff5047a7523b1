internal import EventModel
public import HTTPModel
public import JSON

/// Push tokens and preferences, whatever interface they are asked for over. Answers are JSON objects.
public struct PushDesk: Sendable {
    let push: any PushAdministration
    /// SHA-256.
    let digest: @Sendable ([UInt8]) -> [UInt8]

    public init(push: any PushAdministration, digest: @escaping @Sendable ([UInt8]) -> [UInt8]) {
        self.push = push
        self.digest = digest
    }

    public func offer() -> [UInt8] {
        let offer = push.condition
        return PushDesk.object { writer in
            writer.field("status", offer.isOn ? "on" : "off")
            writer.beginObject("apns")
            writer.field("available", offer.apns)
            writer.field("topic", offer.topic)
            writer.endObject()
            writer.beginObject("webpush")
            writer.field("available", offer.applicationServerKey != nil)
            writer.field("application_server_key", offer.applicationServerKey)
            writer.endObject()
        }
    }

    /// The device's own; all of them for the operator.
    public func tokens(for caller: PushCaller) async throws(APIError) -> [UInt8] {
        let records = try await push.tokens(of: caller.device)
        return PushDesk.object { writer in
            writer.beginArray("tokens")
            for record in records { record.write(to: &writer) }
            writer.endArray()
        }
    }

    /// - Parameter token: what the device says of where its pushes go.
    public func register(_ token: JSONValue, for caller: PushCaller) async throws(APIError) -> [UInt8] {
        let device = try caller.meant()
        let record = try await push.register(try PushTokenBody(token).token(digest: digest), of: device)
        var writer = JSONWriter(reserving: 512)
        record.write(to: &writer)
        return writer.bytes
    }

    /// - Parameter id: of the one to remove; `nil`: all of the device.
    public func removeTokens(id: String?, for caller: PushCaller) async throws(APIError) -> [UInt8] {
        let device = try caller.meant()
        let number = id.flatMap { Int64($0) }
        guard id == nil || number != nil else { throw PushDesk.unknownToken }
        let count = try await push.removeTokens(of: device, id: number)
        if id != nil, count == 0 { throw PushDesk.unknownToken }
        return PushDesk.object { $0.field("removed", count) }
    }

    public func preferences(_ layer: PushLayer, for caller: PushCaller) async throws(APIError) -> [UInt8] {
        let scope = try layer.readable(by: caller)
        return PushDesk.answer(scope, try await push.preferences(scope))
    }

    /// - Parameter settings: JSON as it came; it replaces what is stored there.
    public func setPreferences(
        _ layer: PushLayer,
        _ settings: [UInt8],
        for caller: PushCaller
    ) async throws(APIError) -> [UInt8] {
        let layer = try layer.changeable(by: caller)
        return PushDesk.answer(layer.scope, try await push.setPreferences(layer, settings))
    }

    public func removePreferences(_ layer: PushLayer, for caller: PushCaller) async throws(APIError) -> [UInt8] {
        let layer = try layer.changeable(by: caller)
        _ = try await push.removePreferences(layer)
        return PushDesk.answer(layer.scope, try await push.preferences(layer.scope))
    }

    private static func answer(_ scope: PushScope, _ answer: PushPreferencesAnswer) -> [UInt8] {
        object { writer in
            writer.field("scope", scope.kind.rawValue)
            writer.field("id", scope.subject.isEmpty ? nil : scope.subject)
            writer.field("preferences", json: answer.stored)
            writer.field("effective", json: answer.effective)
            writer.field("updated_at", answer.updatedAt?.description)
        }
    }

    private static func object(_ fields: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter(reserving: 512)
        writer.beginObject()
        fields(&writer)
        writer.endObject()
        return writer.bytes
    }

    private static var unknownToken: APIError {
        .notFound("push_token_not_found", "The device has no push token of that id.")
    }
}

extension PushTokenRecord {
    /// Without the token itself and its keys.
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
