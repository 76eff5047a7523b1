internal import API
internal import HTTPModel

/// The page of a link: it says who asks for what, and leads to the login.
struct LinkPage: Sendable {
    private let account: StoredAccount

    init(_ account: StoredAccount) {
        self.account = account
    }

    var response: HTTPResponse {
        let (server, key) = (HTMLText.escape(account.server), HTMLText.escape(account.keyName))
        let user = HTMLText.escape(account.owner.user)
        return LoginPage.response(
            status: 200,
            title: "Connect \(account.server)",
            // The form leads to the authorization server, whose origin is not known yet.
            formAction: "'self' https: http:",
            """
            <p>The program <b>\(key)</b> asks for an account at <b>\(server)</b>, for its user <b>\(user)</b>.</p>
            <p>You log in at \(server) itself. After that, the program can run the tools of \(server) with your account. \
            Go on only if you use this program, and \(user) is you.</p>
            <form method="post"><button>Go on to the login</button></form>

            """
        )
    }
}

extension LoginPage {
    /// A link leads nowhere.
    init(link error: APIError) {
        self.init(status: error.status, title: "Not connected", text: error.message)
    }
}
