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
/// A browser sends the cookie on behalf of other pages too, so each route requires the page's origin.
struct BrowserSessionRoutes: Sendable {
    let devices: DeviceService
    let passes: DeviceTickets
    let clock: @Sendable () -> Timestamp

    var routes: [Route] {
        [
            Route(.post, "/web/session", .open, handler: signIn).described {
                $0.saying(
                    "Signs a browser in with a pairing code or token; its refresh token goes into a cookie.",
                    body: "BrowserSignIn",
                    faults: [403, 429, 500]
                )
                .answering(200, "application/json", "BrowserTokens")
                .answering(202, "application/json", "PendingPairing")
            },
            Route(.post, BrowserCookie.refreshPath, .open, handler: refresh).described(
                "A new access token for the browser's cookie, and a new cookie.",
                as: "BrowserTokens",
                faults: [401, 403, 429, 500]
            )
            .described { $0.takingOptional(body: "BrowserBase") },
            Route(.delete, "/web/session", .open, handler: signOut)
                .described("Signs the browser out.", as: "SignedOut", faults: [403, 429]),
        ]
    }

    @Sendable private func signIn(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        guard request.http.isFromOwnPage else { throw .foreignPage }
        let body = try RequestObject(request.http.body)
        var device = try NewDevice(body)
        (device.platform, device.isBrowser) = ("web", true)
        let outcome = try await devices.pair(
            secret: try body.text("secret", atMost: 64),
            as: device,
            request.caller
        )
        guard case .tokens(let tokens) = outcome else { return outcome.response }
        return try signedIn(tokens, request, base: try body.optionalText("base", atMost: 200))
    }

    @Sendable private func refresh(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        guard request.http.isFromOwnPage else { throw .foreignPage }
        guard let (cookie, holder) = cookie(of: request) else {
            throw APIError(
                .authentication,
                status: 401,
                code: "not_signed_in",
                message: "This browser is not signed in: monitorctl device pair --browser"
            )
        }
        let base =
            request.http.body.isEmpty ? nil : try RequestObject(request.http.body).optionalText("base", atMost: 200)
        let tokens = try await devices.refresh(cookie.refreshToken, of: holder, request.caller)
        return try signedIn(tokens, request, base: base)
    }

    /// The request's cookie, and the device for which this server made it. The pass may have expired; it shows that the
    /// cookie is whole.
    private func cookie(of request: RouteRequest) -> (BrowserCookie, TokenHolder)? {
        guard let cookie = BrowserCookie(in: request.http), let device = passes.device(of: cookie.pass) else {
            return nil
        }
        return (cookie, .browser(device))
    }

    @Sendable private func signOut(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        guard request.http.isFromOwnPage else { throw .foreignPage }
        if let (cookie, holder) = cookie(of: request) {
            try await devices.signOut(cookie.refreshToken, of: holder, request.caller)
        }
        var response = HTTPResponse.json(Array(#"{"success":true}"#.utf8))
        let base = BrowserSessionRoutes.path(request.query["base"])
        response.headers.append(("set-cookie", BrowserCookie.removal(for: request.http, path: base)))
        return response
    }

    private func signedIn(
        _ tokens: IssuedTokens,
        _ request: RouteRequest,
        base: String?
    ) throws(APIError) -> HTTPResponse {
        // The socket ends with its device, not with the access token.
        let claims = DeviceClaims(device: tokens.device, refusedFrom: tokens.refreshTokenExpiresAt)
        let pass: String
        do throws(SigningError) {
            pass = try passes.issue(for: claims, now: clock())
        } catch {
            throw APIError(.internalError, status: 500, code: "signing_failed", message: "No cookie could be signed.")
        }
        let cookie = BrowserCookie(refreshToken: tokens.refreshToken, pass: pass)
        let seconds = max(0, Int(tokens.refreshTokenExpiresAt.seconds(since: clock())))
        var response = HTTPResponse.json(IssuedTokens.ofBrowser.json(tokens))
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
