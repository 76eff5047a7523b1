internal import API
internal import HTTPModel

/// The routes of login links, for users of programs and for the operator. A link is its own credential: its holder can
/// follow it once.
struct LinkRoutes: Sendable {
    let accounts: AccountService

    private var place: LoginPlace { accounts.place }

    var routes: [Route] {
        let path = LoginPlace.linkPath + "{token}"
        return [
            Route(.get, path, .open, handler: show).described {
                $0.saying("Asks a person whether a program may use an account.").notCached().named("showLink")
                    .answering(200, "text/html").answering(404, "text/html")
            },
            Route(.post, path + "/login", .open, handler: follow).described {
                $0.saying("Leads the browser to the login. The link counts no more.").unlisted()
            },
        ]
    }

    /// Does not use the link up, because programs that show messages fetch the links in them.
    @Sendable private func show(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        do throws(APIError) {
            let token = request.parameters["token"] ?? ""
            let page: LinkPage
            if let offer = try await accounts.logins.offered(token) {
                page = LinkPage(offer)
            } else {
                page = LinkPage(try await accounts.linked(token))
            }
            let kept = LoginCookie(in: request.http, isSecure: place.isSecure)?.secret
            guard let secret = kept ?? (try? PendingLogin.random()) else { throw .databaseUnavailable(retryAfter: 1) }
            var response = page.response(token)
            response.headers.append(("set-cookie", cookie(secret).header(for: request.http)))
            return response
        } catch {
            return LoginPage(link: error).response
        }
    }

    /// Only the page of this server leads here, because browsers do not send the cookie with forms of other sites.
    @Sendable private func follow(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        do throws(APIError) {
            guard let kept = LoginCookie(in: request.http, isSecure: place.isSecure) else {
                throw LinkRoutes.otherBrowser
            }
            let token = request.parameters["token"] ?? ""
            let url = try await url(of: token, kept.secret, request)
            var response = HTTPResponse(status: 303)
            response.headers += [
                ("location", url), ("set-cookie", kept.header(for: request.http)), ("cache-control", "no-store"),
                ("referrer-policy", "no-referrer"),
            ]
            return response
        } catch {
            return LoginPage(link: error).response
        }
    }

    private func url(
        of token: String,
        _ browser: String,
        _ request: RouteRequest
    ) async throws(APIError) -> String {
        guard try await accounts.logins.offered(token) != nil else {
            return try await accounts.follow(token, browser: browser, request.http, request.caller)
        }
        return try await accounts.logins.accept(
            token,
            redirectURI: try place.redirectURI(for: request.http),
            document: place.document,
            browser: browser,
            request.caller
        )
    }

    private func cookie(_ secret: String) -> LoginCookie { LoginCookie(secret: secret, isSecure: place.isSecure) }

    private static let otherBrowser = APIError(
        .permission,
        status: 403,
        code: "other_browser",
        message: "Your browser has not opened this link, or keeps no cookies."
    )
}
