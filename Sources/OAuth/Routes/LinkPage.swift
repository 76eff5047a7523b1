internal import API
internal import HTTPModel

/// The page that a login link opens. It names the program, the server and the user, and has a button that begins the
/// login.
struct LinkPage: Sendable {
    private let server: String
    /// HTML.
    private let text: String

    init(_ account: StoredAccount) {
        server = account.server
        let (name, key) = (LinkPage.shown(server), LinkPage.shown(account.keyName))
        let user = LinkPage.shown(account.owner.user)
        text = """
            <p>The program <b>\(key)</b> asks for an account at <b>\(name)</b>, for its user <b>\(user)</b>.</p>
            <p>You log in at \(name) itself. After that, the program can run the tools of \(name) with your account. \
            Go on only if you use this program, and \(user) is you.</p>
            """
    }

    init(_ offer: LoginService.Offer) {
        server = offer.server
        let name = LinkPage.shown(server)
        text = """
            <p>The operator of this monitor asks for a login at <b>\(name)</b>.</p>
            <p>You log in at \(name) itself. After that, everybody who may run its tools here does so with \
            your account.</p>
            """
    }

    /// Names that programs give, without characters that hide or reorder others.
    private static func shown(_ text: String) -> String {
        let hidden: [Unicode.GeneralCategory] = [.control, .format, .lineSeparator, .paragraphSeparator]
        let scalars = text.unicodeScalars.filter { !hidden.contains($0.properties.generalCategory) }
        return "<bdi>\(HTMLText.escape(String(String.UnicodeScalarView(scalars.prefix(200)))))</bdi>"
    }

    /// - Parameter token: the token of a link that is valid.
    func response(_ token: String) -> HTTPResponse {
        LoginPage.response(
            status: 200,
            title: "Connect \(server)",
            // The form leads to the authorization server, whose origin is not known yet.
            formAction: "'self' https: http:",
            """
            \(text)
            <form method="post" action="\(HTMLText.escape(token))/login"><button>Go on to the login</button></form>

            """
        )
    }
}

extension LoginPage {
    /// The page for a link that is not valid.
    init(link error: APIError) {
        self.init(status: error.status, title: "Not connected", text: error.message)
    }
}
