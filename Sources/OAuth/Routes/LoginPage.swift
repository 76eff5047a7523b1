internal import API
internal import HTTPModel

/// What a browser shows when it comes back from a login. It has no script and leads nowhere but to the page.
struct LoginPage: Sendable {
    let status: Int
    let title: String
    let text: String

    static func connected() -> LoginPage {
        LoginPage(status: 200, title: "Connected", text: "The server can use the tools now. You may close this window.")
    }

    init(status: Int, title: String, text: String) {
        (self.status, self.title, self.text) = (status, title, text)
    }

    init(_ error: APIError) {
        self.init(status: error.status, title: "Not connected", text: error.message + " Connect again from the page.")
    }

    var response: HTTPResponse {
        LoginPage.response(
            status: status,
            title: title,
            formAction: LoginPage.noForm,
            """
            <p>\(HTMLText.escape(text))</p>
            <p><a href="../">To the web app</a></p>

            """
        )
    }

    /// A page of this server about logins.
    ///
    /// - Parameters:
    ///   - formAction: where forms may lead. A browser tells its origin with a form only if the page has a referrer.
    ///   - content: HTML below the title.
    static func response(status: Int, title: String, formAction: String, _ content: String) -> HTTPResponse {
        let html = """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><title>Claude Code Monitor: \(HTMLText.escape(title))</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <style>\(style.text)</style></head><body><main>
            <h1>\(HTMLText.escape(title))</h1>
            \(content)</main></body></html>

            """
        let policy =
            "default-src 'none'; style-src \(style.source); base-uri 'none'; form-action \(formAction); "
            + "frame-ancestors 'none'"
        var response = HTTPResponse.text(status: status, html, type: "text/html; charset=utf-8")
        response.headers += [
            ("content-security-policy", policy), ("cache-control", "no-store"),
            // The addresses of these pages have secrets.
            ("referrer-policy", formAction == noForm ? "no-referrer" : "same-origin"),
            ("x-content-type-options", "nosniff"),
        ]
        return response
    }

    private static let noForm = "'none'"

    private static let style = InlineStyle(
        PageLook.style + """
            main{max-width:36rem;margin:0 auto;padding:3rem 1rem}
            button{font:inherit;font-weight:600;padding:.7rem 1.2rem;border:0;border-radius:.6rem;cursor:pointer;\
            background:var(--accent);color:var(--on)}
            """
    )
}
