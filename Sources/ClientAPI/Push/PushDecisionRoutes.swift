internal import EventModel
internal import HTTPModel
internal import JSON

/// `/v1/push/test` and `/v1/push/decisions`: whether pushes work, and why one did or did not come.
struct PushDecisionRoutes: Sendable {
    let push: any PushAdministration

    private static let uuid = "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$"

    var routes: [Route] {
        [
            Route(.post, "/v1/push/test", .read, handler: test)
                .described(
                    "Sends the calling device a test.",
                    QueryParameter.device,
                    as: "PushTest",
                    status: 202,
                    faults: [409]
                ),
            Route(.post, "/v1/push/check-key", .administer, handler: checkKey)
                .described(
                    "Asks Apple whether the key is good.",
                    [.choice("environment", ["production", "development"], "Which of Apple's two services.")],
                    as: "PushKeyCheck",
                    faults: [409]
                ),
            Route(.get, "/v1/push/decisions", .read, handler: decisions)
                .described(
                    "What was decided about pushes, the newest first.",
                    [
                        .text("event", matching: PushDecisionRoutes.uuid, "Only what this event raised: its id."),
                        .text("apns_id", matching: PushDecisionRoutes.uuid, "Only this push."),
                        .integer("limit", 1...200, "How many notices, where neither is named."),
                    ],
                    as: "PushDecisions",
                    faults: [404]
                ),
        ]
    }

    @Sendable private func test(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let device = try push.caller(of: request).meant()
        guard push.condition.isOn else { throw PushDecisionRoutes.off }
        let names = try await push.sendTest(to: device)
        guard !names.isEmpty else {
            throw APIError(
                .conflict,
                status: 409,
                code: "no_push_token",
                message: "The device has no active push token. The app has to register one first."
            )
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("device_id", String(device.rawValue))
        writer.beginArray("apns_ids")
        for name in names { writer.string(name.description) }
        writer.endArray()
        writer.endObject()
        return .json(status: 202, writer.bytes)
    }

    @Sendable private func checkKey(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let word = request.query["environment"] ?? "production"
        guard let environment = NewPushToken.Environment(rawValue: word) else {
            throw .invalid(
                "invalid_parameter",
                "'environment' must be production or development.",
                param: "environment"
            )
        }
        guard push.condition.apns else { throw PushDecisionRoutes.off }
        let check = try await push.checkKey(environment)
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("environment", environment.rawValue)
        writer.field("verdict", check.verdict.rawValue)
        writer.field("status", check.status.map(Int64.init))
        writer.field("reason", check.reason)
        writer.field("message", check.message)
        writer.endObject()
        return .json(writer.bytes)
    }

    @Sendable private func decisions(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let answer = try await push.decisions(try query(request))
        var writer = JSONWriter(reserving: 512 * (answer.notices.count + 1))
        writer.beginObject()
        writer.beginArray("notices")
        for notice in answer.notices { notice.write(to: &writer) }
        writer.endArray()
        writer.field("remark", answer.remark)
        writer.endObject()
        return .json(writer.bytes)
    }

    private func query(_ request: RouteRequest) throws(APIError) -> PushDecisionQuery {
        if let event = try identifier("event", request) { return .event(event) }
        if let push = try identifier("apns_id", request) { return .push(push) }
        return .latest(Int(try request.query.integer("limit", in: 1...200) ?? 50))
    }

    private func identifier(_ name: String, _ request: RouteRequest) throws(APIError) -> EventID? {
        guard let text = request.query[name] else { return nil }
        guard let id = EventID(text) else {
            throw .invalid("invalid_parameter", "'\(name)' must be a UUID.", param: name)
        }
        return id
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

extension PushHistory {
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("key", noticeKey)
        writer.field("kind", kind)
        writer.field("event_id", eventID?.description)
        writer.field("seq", eventSeq)
        writer.field("session_id", sessionID)
        writer.field("raised_at", raisedAt.description)
        writer.field("not_before", notBefore.description)
        writer.field("expires_at", expiresAt.description)
        writer.field("withdrawn_at", withdrawnAt?.description)
        writer.field("withdrawn_because", withdrawnBecause)
        writer.beginArray("deliveries")
        for decision in decisions { decision.write(to: &writer) }
        writer.endArray()
        writer.endObject()
    }
}

extension PushDecision {
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("device_id", String(device.rawValue))
        writer.field("token_kind", tokenKind)
        writer.field("token", tokenFingerprint)
        writer.field("apns_id", apnsID.description)
        writer.field("state", state.rawValue)
        writer.field("due_at", state == .waiting ? dueAt.description : nil)
        writer.field("attempts", attempts)
        writer.field("submissions", submissions)
        writer.field("level", level)
        writer.field("collapse_id", collapseID)
        writer.field("code", code)
        writer.field("reason", reason)
        writer.field("status", status)
        writer.field("decided_at", decidedAt?.description)
        writer.endObject()
    }
}
