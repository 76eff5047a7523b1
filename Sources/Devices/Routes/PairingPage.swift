internal import API
internal import EventModel
internal import HTTPModel

/// The page on which the operator pairs a device: one HTML document without external resources and scripts.
struct PairingPage {
    /// Not `no-referrer`, because the browser would then send the form with `Origin: null`.
    private static let headers = [
        ("content-type", "text/html; charset=utf-8"),
        (
            "content-security-policy",
            "default-src 'none'; style-src \(style.source); base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
        ),
        ("referrer-policy", "same-origin"),
    ]

    var invitation: PairingInvitation?
    /// The invitation's QR code as an SVG element.
    var picture = ""
    var fault: String?

    func response(status: Int = 200) -> HTTPResponse {
        HTTPResponse(status: status, headers: PairingPage.headers, body: Array(html.utf8))
    }

    private var html: String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><title>Pair a device</title>
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <style>\(PairingPage.style.text)</style></head><body><main>
        <h1>Pair a device</h1>
        \(invitation.map(shown) ?? "")\(fault.map { "<p role=\"alert\">\(HTMLText.escape($0))</p>\n" } ?? "")\(form)
        </main></body></html>

        """
    }

    /// The browser hides the picture and the code when they expire, by its own clock.
    private func shown(_ invitation: PairingInvitation) -> String {
        let pairing = invitation.pairing
        let end = pairing.expiresAt.description
        let hint =
            invitation.address.isLoopback
            ? "<p role=\"alert\">Other machines do not reach this address. Open this page by one that they reach.</p>"
            : ""
        return """
            <p>Scan this with the app, or type the code there.</p>
            <figure><div>\(picture)</div><i></i>
            <figcaption>\(HTMLText.escape(pairing.code))</figcaption></figure>
            <p>For one device, until <time datetime="\(end)">\(end.dropFirst(11).prefix(8)) UTC</time>. It connects to
            <b>\(HTMLText.escape(invitation.address.http))</b>.</p>
            \(hint)
            """
    }

    private var form: String {
        """
        <form method="post"><label>Admin token
        <input name="token" type="password" autocomplete="current-password" required></label>
        <button>\(invitation == nil ? "Make a code" : "Make another")</button></form>
        <p><small>The token is in <code>admin.token</code> in the server's data directory. A code is good for one
        device and five minutes.</small></p>
        """
    }

    /// The lifetime in the style is that of every pairing.
    private static let style = InlineStyle(
        PageLook.style + """
            :root{--life:300s}
            main{max-width:24rem;margin:0 auto;padding:max(2rem,6vh) 1.25rem 2rem}
            figure{margin:1rem 0;text-align:center}figure>*{animation:vanish 0s var(--life) forwards}
            figure>div{background:#fff;border:1px solid var(--line);border-radius:12px;padding:.25rem}
            svg{display:block;width:100%}
            figure>i{display:block;height:.25rem;margin:.5rem 0;border-radius:4px;background:var(--accent);\
            transform-origin:left;animation:drain var(--life) linear forwards}
            figcaption{font:700 2rem/1.2 ui-monospace,monospace;letter-spacing:.1em}
            @keyframes vanish{to{visibility:hidden}}@keyframes drain{to{transform:scaleX(0)}}
            label,input,button{display:block;width:100%;box-sizing:border-box;font:inherit}
            label{font-weight:600}
            input,button{margin:.3rem 0 .9rem;padding:.55rem .8rem;min-height:44px;border-radius:10px}
            input{border:1px solid var(--edge);background:var(--bg);color:var(--ink)}
            button{border:0;background:var(--accent);color:var(--on);font-weight:600;cursor:pointer}
            [role=alert]{border-inline-start:.25rem solid var(--bad);padding-inline-start:.6rem}
            b{overflow-wrap:anywhere}
            """
    )
}
