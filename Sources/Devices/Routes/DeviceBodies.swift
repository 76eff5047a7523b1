package import API
internal import EventModel
package import HTTPModel
package import JSON

extension PairingOutcome {
    package var response: HTTPResponse {
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
    package static let ofBrowser = ObjectShape<IssuedTokens>("BrowserTokens") { it in
        it.member("access_token") { $0.accessToken }
        it.member("access_token_expires_at") { $0.accessTokenExpiresAt }
        it.constant("token_type", "Bearer")
        it.member("expires_in") { $0.accessTokenSeconds }
        it.member("device_id") { String($0.device.rawValue) }
    }
}

extension IssuedTokens {
    /// The same for a browser that has signed in.
    package static let ofNewBrowser = ObjectShape<(tokens: IssuedTokens, secret: String)>(
        "NewBrowserTokens",
        extending: ofBrowser,
        { $0.tokens }
    ) { it in
        it.member("browser_secret") { $0.secret }
    }
}

extension NewDevice {
    package init(_ body: RequestObject) throws(APIError) {
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
