internal import EventModel
internal import HTTPModel
internal import JSON

/// `/v1/keys`: the keys machines post with.
struct KeyRoutes: Sendable {
    private static let maximumName = 200

    let keys: any KeyAdministration
    let clock: @Sendable () -> Timestamp

    var routes: [Route] {
        [
            Route(.post, "/v1/keys", .administer, handler: create)
                .described("A new key for a machine.", body: "NewKey", as: "CreatedKey", status: 201),
            Route(.get, "/v1/keys", .administer, handler: list)
                .described("All keys.", QueryParameter.pages, as: "KeyPage"),
            Route(.delete, "/v1/keys/{id}", .administer, handler: revoke)
                .described("Revokes a key, or all of a machine.", as: "RevokedKeys"),
        ]
    }

    @Sendable private func create(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let name = try KeyRoutes.name(request.http.body)
        let (record, key) = try await keys.createKey(machineName: name, request.caller)
        var writer = JSONWriter()
        writer.beginObject()
        record.writeFields(to: &writer)
        writer.field("key", key)
        writer.endObject()
        return .json(status: 201, writer.bytes)
    }

    private static func name(_ body: [UInt8]) throws(APIError) -> String {
        guard let json = try? JSONValue.parse(body), json.isObject else {
            throw .invalid("invalid_json", "The body must be a JSON object with a 'name'.")
        }
        guard let name = json["name"]?.string, !name.isEmpty, name.unicodeScalars.count <= maximumName,
            !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }),
            !isNumber(name)
        else {
            throw .invalid(
                "invalid_parameter",
                "'name' must be 1 to \(maximumName) characters, without control characters and not a number.",
                param: "name"
            )
        }
        return name
    }

    /// A number would be taken for the id of a key.
    private static func isNumber(_ name: String) -> Bool {
        let digits = name.hasPrefix("+") || name.hasPrefix("-") ? name.utf8.dropFirst() : name.utf8[...]
        return !digits.isEmpty && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    @Sendable private func list(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let paging = try Paging(request.query, path: "/v1/keys", .whole)
        let records = try await keys.keys()
        return ListAnswer(paging, request, at: clock()).response("keys", whole: records) { record, writer in
            writer.beginObject()
            record.writeFields(to: &writer)
            writer.endObject()
        }
    }

    @Sendable private func revoke(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let revoked = try await keys.revokeKeys(request.parameters["id"] ?? "", request.caller)
        guard let first = revoked.first else {
            throw .notFound("key_not_found", "There is no key of that id or name that is not revoked already.")
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("id", String(first.id))
        writer.field("revoked", true)
        writer.field("count", revoked.count)
        writer.endObject()
        return .json(writer.bytes)
    }
}

extension KeyRecord {
    fileprivate func writeFields(to writer: inout JSONWriter) {
        writer.field("id", String(id))
        writer.field("name", machineName)
        writer.field("machine_id", String(machine.rawValue))
        writer.field("prefix", prefix)
        writer.field("created_at", createdAt.description)
        writer.field("last_used_at", lastUsedAt?.description)
        writer.field("revoked_at", revokedAt?.description)
    }
}
