internal import EventModel
public import HTTPModel
public import JSON

extension PairingOutcome {
    public var response: HTTPResponse {
        switch self {
        case .tokens(let tokens): .json(IssuedTokens.shape, tokens)
        case .pending(let id, let expiresAt): .json(status: 202, PairingOutcome.pending, (id, expiresAt))
        }
    }

    static let pending = ObjectShape<(id: Int64, expiresAt: Timestamp)>("PendingPairing") { it in
        it.constant("status", "pending_approval")
        it.member("request_id") { String($0.id) }
        it.member("expires_at") { $0.expiresAt }
    }
}

extension IssuedTokens {
    static let shape = ObjectShape<IssuedTokens>("Tokens") { it in
        it.member("access_token") { $0.accessToken }
        it.member("access_token_expires_at") { $0.accessTokenExpiresAt }
        it.member("refresh_token") { $0.refreshToken }
        it.member("refresh_token_expires_at") { $0.refreshTokenExpiresAt }
        it.constant("token_type", "Bearer")
        it.member("expires_in") { $0.accessTokenSeconds }
        it.member("device_id") { String($0.device.rawValue) }
    }
}

extension IssuedTokens {
    /// For a page in a browser, whose refresh token is in a cookie.
    public static let ofBrowser = ObjectShape<IssuedTokens>("BrowserTokens") { it in
        it.member("access_token") { $0.accessToken }
        it.member("access_token_expires_at") { $0.accessTokenExpiresAt }
        it.constant("token_type", "Bearer")
        it.member("expires_in") { $0.accessTokenSeconds }
        it.member("device_id") { String($0.device.rawValue) }
    }
}

extension NewDevice {
    public init(_ body: RequestObject) throws(APIError) {
        name = try body.optionalText("name", atMost: 100) ?? "device"
        platform = try body.optionalText("platform", atMost: 100)
    }
}

extension PairingWish {
    init(_ body: [UInt8]) throws(APIError) {
        let object = try RequestObject(optional: body)
        machines = try object.optionalNames("machines")
        guard let words = try object.optionalNames("capabilities") else { return }
        let known = words.compactMap { Capability(rawValue: $0) }
        guard known.count == words.count, known.contains(.read),
            known.allSatisfy({ PairingWish.possible.contains($0) })
        else {
            throw .invalid(
                "invalid_parameter",
                "'capabilities' must be read and what else of respond and administer the device is to have. "
                    + "Others are granted to a device by name: monitorctl device grant ID control",
                param: "capabilities"
            )
        }
        capabilities = known
        if machines != nil, !known.contains(.respond) {
            throw .invalid("invalid_parameter", "'machines' are of 'respond'.", param: "machines")
        }
    }

    private static let possible: [Capability] = [.read, .respond, .administer]
}

/// A request body that must be a JSON object with string members.
public struct RequestObject {
    private let json: JSONValue

    public init(_ body: [UInt8]) throws(APIError) {
        guard let json = try? JSONValue.parse(body, maxDepth: 8), json.isObject else {
            throw .invalid("invalid_json", "The body must be a JSON object.")
        }
        self.json = json
    }

    /// An empty body is an empty object.
    init(optional body: [UInt8]) throws(APIError) {
        try self.init(body.isEmpty ? Array("{}".utf8) : body)
    }

    /// Returns `nil` if the member is missing or null.
    func optionalNames(_ name: String) throws(APIError) -> [String]? {
        guard let value = json[name], value != .null else { return nil }
        let names = value.array?.compactMap(\.string) ?? []
        guard let count = value.array?.count, (1...100).contains(count), names.count == count,
            names.allSatisfy({ !$0.isEmpty && $0.utf8.count <= 800 })
        else { throw .invalid("invalid_parameter", "'\(name)' must be 1 to 100 names.", param: name) }
        return names
    }

    /// Returns false if the member is missing or null.
    func has(_ name: String) -> Bool { json[name] != nil && json[name] != .null }

    public func text(_ name: String, atMost limit: Int) throws(APIError) -> String {
        guard let text = try optionalText(name, atMost: limit) else {
            throw .invalid("missing_parameter", "'\(name)' is missing.", param: name)
        }
        return text
    }

    /// Returns `nil` if the member is missing or null.
    /// - Parameter limit: in Unicode scalars. One visible character may consist of any number of them.
    public func optionalText(_ name: String, atMost limit: Int) throws(APIError) -> String? {
        guard let value = json[name], value != .null else { return nil }
        guard let text = value.string, !text.isEmpty, text.unicodeScalars.count <= limit,
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw .invalid(
                "invalid_parameter",
                "'\(name)' must be 1 to \(limit) characters, without control characters.",
                param: name
            )
        }
        return text
    }
}
