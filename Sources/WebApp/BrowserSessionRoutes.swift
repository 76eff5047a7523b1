internal import API
internal import Access
internal import Devices
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Signing

/// `/web/session`: a browser signs in, keeps its access token fresh, and signs out. The browser is a device whose
/// refresh token is in a cookie (`BrowserCookie`), so that no script can read it.
///
/// A browser sends the cookie on behalf of other pages too, so each route requires the page's origin. It also sends the
/// cookie to programs on other ports of the host, which can send any origin, so each route requires the secret that the
/// server gave to the page.
struct BrowserSessionRoutes: Sendable {
    let devices: DeviceService
    let clock: @Sendable () -> Timestamp

    var routes: [Route] {
        [
            Route(.post, "/web/session", .open, handler: signIn).described {
                $0.saying(
                    "Signs a browser in with a pairing code or token; its refresh token goes into a cookie.",
                    body: "BrowserSignIn",
                    faults: [403, 429, 500]
                )
                .answering(200, "application/json", "NewBrowserTokens")
                .answering(202, "application/json", "PendingPairing")
            },
            Route(.post, "/web/session/refresh", .open, handler: refresh).described(
                "A new access token for the browser's cookie, and a new cookie.",
                as: "BrowserTokens",
                faults: [401, 403, 429, 500]
            )
            .described { $0.takingOptional(body: "BrowserProof") },
            Route(.delete, "/web/session", .open, handler: signOut)
                .described("Signs the browser out.", as: "SignedOut", faults: [403, 429])
                .described { $0.takingOptional(body: "BrowserProof") },
        ]
    }

    @Sendable private func signIn(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        guard request.http.isFromOwnPage else { throw .foreignPage }
        let body = try RequestObject(request.http.body)
        var device = try NewDevice(body)
        var random = SystemRandomNumberGenerator()
        let secret = Base64URL.encode((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) })
        (device.platform, device.browserSHA256) = ("web", SHA256Digest(of: secret).bytes)
        let outcome = try await devices.pair(
            secret: try body.text("secret", atMost: 64),
            as: device,
            request.caller
        )
        guard case .tokens(let tokens) = outcome else { return outcome.response }
        let json = IssuedTokens.ofNewBrowser.json((tokens, secret))
        return signedIn(tokens, json, request, base: try body.optionalText("base", atMost: 200))
    }

    @Sendable private func refresh(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        guard request.http.isFromOwnPage else { throw .foreignPage }
        let body = try RequestObject(optional: request.http.body)
        guard let cookie = BrowserCookie(in: request.http), let holder = try holder(body) else {
            throw APIError(
                .authentication,
                status: 401,
                code: "not_signed_in",
                message: "This browser is not signed in: monitorctl device pair --browser"
            )
        }
        let tokens = try await devices.refresh(cookie.refreshToken, of: holder, request.caller)
        let base = try body.optionalText("base", atMost: 200)
        return signedIn(tokens, IssuedTokens.ofBrowser.json(tokens), request, base: base)
    }

    /// Without the secret, the browser only loses the cookie.
    @Sendable private func signOut(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        guard request.http.isFromOwnPage else { throw .foreignPage }
        let body = try RequestObject(optional: request.http.body)
        if let cookie = BrowserCookie(in: request.http), let holder = try holder(body) {
            try await devices.signOut(cookie.refreshToken, of: holder, request.caller)
        }
        var response = HTTPResponse.json(Array(#"{"success":true}"#.utf8))
        let base = BrowserSessionRoutes.path(try body.optionalText("base", atMost: 200) ?? request.query["base"])
        response.headers.append(("set-cookie", BrowserCookie.removal(for: request.http, path: base)))
        return response
    }

    /// Returns `nil` if the body has no secret.
    private func holder(_ body: RequestObject) throws(APIError) -> TokenHolder? {
        try body.optionalText("browser_secret", atMost: 64).map { .browser(SHA256Digest(of: $0).bytes) }
    }

    private func signedIn(
        _ tokens: IssuedTokens,
        _ json: [UInt8],
        _ request: RouteRequest,
        base: String?
    ) -> HTTPResponse {
        let cookie = BrowserCookie(refreshToken: tokens.refreshToken)
        let seconds = max(0, Int(tokens.refreshTokenExpiresAt.seconds(since: clock())))
        var response = HTTPResponse.json(json)
        let header = cookie.header(for: request.http, path: BrowserSessionRoutes.path(base), seconds: seconds)
        response.headers.append(("set-cookie", header))
        return response
    }

    /// The path of the app's directory, as the browser sees it: behind a proxy it may be more than `/`.
    private static func path(_ base: String?) -> String {
        guard let base, base.hasPrefix("/"), base.hasSuffix("/"), base.utf8.allSatisfy(isPathByte) else { return "/" }
        return base
    }

    /// Neither `;`, which would begin another attribute, nor a space.
    private static func isPathByte(_ byte: UInt8) -> Bool {
        byte > 32 && byte < 127 && byte != UInt8(ascii: ";") && byte != UInt8(ascii: ",")
    }
}
