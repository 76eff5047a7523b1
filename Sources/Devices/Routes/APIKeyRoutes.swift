internal import API
internal import EventModel
internal import HTTPModel
internal import JSON

/// `/v1/api-keys`: the keys of programs.
struct APIKeyRoutes: Sendable {
    let service: APIKeyService
    let clock: @Sendable () -> Timestamp

    var routes: [Route] {
        [
            Route(.post, "/v1/api-keys", .administer, handler: create)
                .described(
                    "A new key for a program.",
                    body: "NewAPIKey",
                    as: "CreatedAPIKey",
                    status: 201,
                    faults: [409]
                )
                .described { $0.named("createAPIKey") },
            Route(.get, "/v1/api-keys", .administer, handler: list)
                .described("The keys of programs.", QueryParameter.pages, as: "APIKeyPage")
                .described { $0.named("listAPIKeys") },
            Route(.delete, "/v1/api-keys/{id}", .administer, handler: revoke)
                .described("Revokes the key of a program, by its id or name.", as: "RevokedAPIKey", faults: [404])
                .described { $0.named("revokeAPIKey") },
        ]
    }

    @Sendable private func create(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let wish = try NewAPIKey(request.http.body, now: clock())
        return .json(status: 201, APIKeyRecord.created, try await service.create(wish, request.caller))
    }

    @Sendable private func list(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let paging = try Paging(request.query, path: "/v1/api-keys", .whole)
        let records = try await service.list()
        return ListAnswer(paging, request, at: clock()).response("api_keys", whole: records, of: APIKeyRecord.shape)
    }

    @Sendable private func revoke(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        guard let record = try await service.revoke(request.parameters["id"] ?? "", request.caller) else {
            throw .notFound("key_not_found", "No API key has this id or name, or it is already revoked.")
        }
        return .json(APIKeyRecord.revoked, record)
    }
}

extension APIKeyRecord {
    static let shape = ObjectShape<APIKeyRecord>("APIKey") { it in
        it.member("id") { String($0.grant.id) }
        it.member("name") { $0.grant.name }
        it.member("prefix") { $0.prefix }
        it.grants { $0.grant.grants }
        it.member("models") { $0.grant.models }
        it.member("daily_budget") { $0.grant.dailyBudget }
        it.member("requests_per_minute") { $0.grant.requestsPerMinute }
        it.member("expires_at") { $0.grant.expiresAt }
        it.member("toolkits") { $0.grant.toolkits }
        it.member("shares") { $0.grant.shares.isEmpty ? nil : $0.grant.shares }
        it.member("created_at") { $0.createdAt }
        it.member("created_by") { $0.createdBy }
        it.member("last_used_at") { $0.lastUsedAt }
        it.member("revoked_at") { $0.revokedAt }
    }

    static let created = ObjectShape<(record: APIKeyRecord, key: String)>(
        "CreatedAPIKey",
        extending: shape,
        { $0.record }
    ) { it in
        it.member("key") { $0.key }
    }

    static let revoked = ObjectShape<APIKeyRecord>("RevokedAPIKey") { it in
        it.member("id") { String($0.grant.id) }
        it.member("name") { $0.grant.name }
        it.member("revoked") { _ in true }
    }

    static let wish = JSONSchema.object([
        "name": KeyRoutes.nameSchema,
        "capabilities": #"{"type":"array","minItems":1,"maxItems":100,"items":"#
            + JSONSchema.choice(Capability.ofAPIKeys.map(\.rawValue)) + "}",
        "machines?": JSONSchema.nullable(JSONSchema.array(JSONSchema.printable(200))),
        "models?": JSONSchema.nullable(JSONSchema.array(JSONSchema.printable(200))),
        "daily_budget?": JSONSchema.nullable(JSONSchema.number),
        "requests_per_minute?": JSONSchema.nullable(JSONSchema.integer(NewAPIKey.rates)),
        "expires_at?": JSONSchema.nullable(JSONSchema.text),
        "toolkits?": JSONSchema.nullable(JSONSchema.array(JSONSchema.printable(128))),
        "shares?": JSONSchema.nullable(JSONSchema.array(JSONSchema.printable(128))),
    ])
}
