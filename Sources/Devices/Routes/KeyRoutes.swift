internal import API
internal import EventModel
internal import HTTPModel
internal import JSON

/// `/v1/keys`: the keys with which machines post events.
struct KeyRoutes: Sendable {
    private static let maximumName = 200

    let keys: KeyService
    /// Whether the listeners use TLS.
    let isSecure: Bool
    let clock: @Sendable () -> Timestamp

    var routes: [Route] {
        [
            Route(.post, "/v1/keys", .administer, handler: create)
                .described("A new key for a machine.", body: "NewKey", as: "CreatedKey", status: 201),
            Route(.get, "/v1/keys", .administer, handler: list)
                .described("All keys.", QueryParameter.pages, as: "KeyPage"),
            Route(.delete, "/v1/keys/{id}", .administer, handler: revoke)
                .described("Revokes a key, or all of a machine.", as: "RevokedKeys"),
            Route(.put, "/v1/keys/{id}/grants/{grant}", .administer) { request throws(APIError) in
                try await setGrant(request, true)
            }
            .described("Grants a key, or all of a machine, to ask for approvals by itself.", as: "KeyList"),
            Route(.delete, "/v1/keys/{id}/grants/{grant}", .administer) { request throws(APIError) in
                try await setGrant(request, false)
            }
            .described("Takes that from a key, or from all of a machine.", as: "KeyList"),
            Route(.put, "/v1/keys/{id}/grants/tools/{server}", .administer) { request throws(APIError) in
                try await setToolServer(request, true)
            }
            .described("Grants a key, or all of a machine, the tools of MCP servers of a name.", as: "KeyList"),
            Route(.delete, "/v1/keys/{id}/grants/tools/{server}", .administer) { request throws(APIError) in
                try await setToolServer(request, false)
            }
            .described("Takes those tools from a key, or from all of a machine.", as: "KeyList"),
        ]
    }

    @Sendable private func create(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let name = try KeyRoutes.name(try JSONValue(object: request.http.body))
        let (record, key) = try await keys.createKey(machineName: name, request.caller)
        let address = ServerAddress(request.http, isSecure: isSecure)
        return .json(status: 201, KeyRecord.created, (record, key, address))
    }

    static let nameSchema =
        #"{"type":"string","minLength":1,"maxLength":200,"#
        + #""pattern":"^(?![+-]?[0-9]+$)[^\\u0000-\\u001f\\u007f-\\u009f]*$"}"#

    /// The `name` of a new key.
    static func name(_ json: JSONValue) throws(APIError) -> String {
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

    /// A numeric name would be taken for a key id.
    private static func isNumber(_ name: String) -> Bool {
        let digits = name.hasPrefix("+") || name.hasPrefix("-") ? name.utf8.dropFirst() : name.utf8[...]
        return !digits.isEmpty && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    @Sendable private func list(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let paging = try Paging(request.query, path: "/v1/keys", .whole)
        let records = try await keys.keys()
        return ListAnswer(paging, request, at: clock()).response("keys", whole: records, of: KeyRecord.shape)
    }

    @Sendable private func revoke(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let revoked = try await keys.revokeKeys(request.parameters["id"] ?? "", request.caller)
        guard !revoked.isEmpty else {
            throw .notFound("key_not_found", "No key has this id or name, or it is already revoked.")
        }
        return .json(KeyRecord.revoked, revoked)
    }

    private func setGrant(_ request: RouteRequest, _ isGranted: Bool) async throws(APIError) -> HTTPResponse {
        guard request.parameters["grant"] == KeyRecord.approve else {
            throw .invalid(
                "invalid_parameter",
                "A machine's key can be granted 'approve', or 'tools' with the name of an MCP server.",
                param: "grant"
            )
        }
        return try answer(try await keys.setApproval(request.parameters["id"] ?? "", isGranted, request.caller))
    }

    private func setToolServer(_ request: RouteRequest, _ isGranted: Bool) async throws(APIError) -> HTTPResponse {
        let server = request.parameters["server"] ?? ""
        guard (1...128).contains(server.utf8.count),
            !server.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { throw .invalid("invalid_parameter", "That cannot be the name of an MCP server.", param: "server") }
        return try answer(
            try await keys.setToolServer(request.parameters["id"] ?? "", server, isGranted, request.caller)
        )
    }

    private func answer(_ changed: [KeyRecord]) throws(APIError) -> HTTPResponse {
        guard !changed.isEmpty else { throw .notFound("key_not_found", "No valid key has this id or name.") }
        return .json(KeyRecord.list, changed)
    }
}

extension KeyRecord {
    static let shape = ObjectShape<KeyRecord>("Key") { it in
        it.member("id") { String($0.id) }
        it.member("name") { $0.machineName }
        it.member("machine_id") { String($0.machine.rawValue) }
        it.member("prefix") { $0.prefix }
        it.member("created_at") { $0.createdAt }
        it.member("last_used_at") { $0.lastUsedAt }
        it.member("revoked_at") { $0.revokedAt }
        it.member("device_id") { $0.device.map { String($0.rawValue) } }
        it.member("grants", as: JSONSchema.array(JSONSchema.words(approve))) { $0.mayApprove ? [approve] : [] }
        it.member("tool_servers", as: JSONSchema.texts) { $0.toolServers.split(separator: "\n").map(String.init) }
    }

    /// The grant without a name.
    static let approve = "approve"

    static let list = ObjectShape<[KeyRecord]>("KeyList") { it in
        it.list("keys", of: shape) { $0 }
    }

    static let created = ObjectShape<(record: KeyRecord, key: String, address: ServerAddress)>(
        "CreatedKey",
        extending: shape,
        { $0.record }
    ) { it in
        it.member("key") { $0.key }
        it.member("install") { joining(with: $0.key, at: $0.address) }
    }

    /// The command with which a machine joins. Behind a proxy that nobody has declared, the script that the server
    /// serves does not know that its address is secure, so the command says it.
    static func joining(with key: String, at address: ServerAddress) -> String {
        let script = ShellWord(address.http + "/install.sh")
        let options = address.isShownByPage ? " -s -- --url \(ShellWord(address.http))" : ""
        return "curl -fsS \(script) | CLAUDE_MONITOR_API_KEY=\(ShellWord(key)) bash\(options)"
    }

    /// At least one element.
    static let revoked = ObjectShape<[KeyRecord]>("RevokedKeys") { it in
        it.member("id") { $0.first.map { String($0.id) } ?? "" }
        it.member("revoked") { _ in true }
        it.member("count") { $0.count }
    }
}
