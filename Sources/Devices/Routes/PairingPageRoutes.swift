internal import API
internal import EventModel
internal import HTTPModel
internal import JSON
internal import QREncoding

/// QR codes for the operator without a terminal: the picture alone, and a page for browsers. Each picture, and each
/// page with a code, creates a new pairing.
struct PairingPageRoutes: Sendable {
    let devices: DeviceService
    /// Whether the listeners use TLS.
    let isSecure: Bool
    /// Returns the request's sender. Throws 401 or 403 if the sender may not administer.
    let authorize: @Sendable (HTTPRequest) throws(APIError) -> Principal
    /// The web app's page, on which a browser also pairs itself; `nil` if there is none.
    let page: @Sendable (HTTPRequest) -> HTTPResponse?

    var routes: [Route] {
        [
            Route(.get, "/api/pair/qr", .administer, handler: picture).described {
                $0.saying("Opens a pairing, as a QR code.", PairingPageRoutes.parameters, faults: [429])
                    .answering(200, "image/png").answering(200, "image/svg+xml").notCached()
            },
            Route(.get, "/pair", .open, handler: show).described {
                $0.saying("A page on which the operator pairs devices.", faults: [429, 500])
                    .answering(200, "text/html").notCached()
            },
            Route(.post, "/pair", .open, handler: submit).described {
                PairingPageRoutes.page(
                    $0.saying("Opens a pairing and shows it on the page.", body: "PairingForm", faults: [429, 500])
                ).takingForm()
            },
        ]
    }

    private static let parameters = [
        QueryParameter.integer("size", 1...1024, "Pixels on a side; default 256."),
        QueryParameter.choice("format", PictureFormat.allCases.map(\.rawValue), "Default: PNG."),
    ]

    private enum PictureFormat: String, CaseIterable {
        case png
        case svg
    }

    private static func page(_ description: RouteDescription) -> RouteDescription {
        description.answering(200, "text/html").answering(401, "text/html").answering(403, "text/html")
            .answering(403, "application/json", .failure).notCached()
    }

    @Sendable private func picture(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let size = try request.query.integer("size", in: 1...1024) ?? 256
        guard let format = PictureFormat(rawValue: request.query["format"] ?? "png") else {
            throw .invalid("invalid_parameter", "'format' must be png or svg.", param: "format")
        }
        let code = try await invitation(request.http, request.principal).qrCode
        switch format {
        case .png:
            return HTTPResponse(status: 200, headers: [("content-type", "image/png")], body: code.png(side: Int(size)))
        case .svg: return .text(code.svg, type: "image/svg+xml")
        }
    }

    /// Returns only the form without the operator's credential, because a browser sends none when it opens a page.
    @Sendable private func show(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        guard let administrator = try request.http.administrator(authorize) else {
            return page(request.http) ?? PairingPage().response()
        }
        return try await invite(request.http, administrator)
    }

    /// The token is sent in the form only, so the browser stores nothing that it would send on behalf of a foreign
    /// page.
    @Sendable private func submit(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let form = QueryParameters(String(decoding: request.http.body, as: UTF8.self))
        var http = request.http
        http.headers["authorization"] = "Bearer " + (form["token"] ?? "").filter { !$0.isWhitespace }
        let sender: Principal
        do {
            sender = try authorize(http)
        } catch {
            guard [401, 403].contains(error.status) else { throw error }
            return PairingPage(fault: "That is not the admin token.").response(status: error.status)
        }
        return try await invite(http, sender)
    }

    private func invite(_ request: HTTPRequest, _ sender: Principal) async throws(APIError) -> HTTPResponse {
        let invitation = try await invitation(request, sender)
        return PairingPage(invitation: invitation, picture: try invitation.qrCode.svg).response()
    }

    private func invitation(
        _ request: HTTPRequest,
        _ sender: Principal?
    ) async throws(APIError) -> PairingInvitation {
        PairingInvitation(
            pairing: try await devices.createPairing(PairingWish(), Caller(request, sender)),
            address: ServerAddress(request, isSecure: isSecure)
        )
    }
}

extension HTTPRequest {
    /// The sender, if the credential may administer. Any other counts as none on a route that needs none: a client that
    /// was paired before sends its old credential when it pairs again. Throws 429 if there were too many guesses.
    func administrator(
        _ authorize: (HTTPRequest) throws(APIError) -> Principal
    ) throws(APIError) -> Principal? {
        guard headers["authorization"] != nil || headers["x-api-key"] != nil else { return nil }
        do {
            return try authorize(self)
        } catch {
            guard [401, 403].contains(error.status) else { throw error }
            return nil
        }
    }
}
