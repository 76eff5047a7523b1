internal import EventModel
internal import HTTPModel
internal import JSON

/// Renders routes and methods as one HTML page without external resources and scripts.
struct DocumentPage {
    static let contentSecurityPolicy =
        "default-src 'none'; style-src \(style.source); base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    let version: String
    let routes: [RouteDescription]
    let schemas: [(SchemaName, String)]
    let rpc: RPCInterface

    var html: [UInt8] {
        var page = """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><title>Claude Code Monitor: API</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <style>\(DocumentPage.style.text)</style></head><body><main>
            <h1>Claude Code Monitor <small>\(HTMLText.escape(version))</small></h1>
            <p>For programs: <a href="/openapi.json">OpenAPI</a>, <a href="/api/rpc/discover">OpenRPC</a>.
            Credentials go into <code>Authorization: Bearer</code> or <code>x-api-key</code>.</p>
            <p><a href="./">To the web app</a></p>
            <h2>HTTP</h2>

            """
        for route in routes { page += section(route) }
        page += "<h2>JSON-RPC over WebSocket</h2>\n"
        for method in rpc.methods { page += section(method) }
        page += "<h2>Schemas</h2>\n"
        var seen: Set<SchemaName> = []
        for (name, schema) in schemas + rpc.schemas where seen.insert(name).inserted {
            let id = HTMLText.escape(name.rawValue)
            page +=
                "<details id=\"\(id)\"><summary>\(id)</summary><pre>\(HTMLText.escape(schema))</pre></details>\n"
        }
        return Array((page + "</main></body></html>\n").utf8)
    }

    private func section(_ route: RouteDescription) -> String {
        let title = "<b>\(route.method.rawValue)</b> <code>\(HTMLText.escape(route.path))</code>"
        var body = ""
        for parameter in route.allParameters {
            let names = ([parameter.name] + parameter.aliases).joined(separator: ", ")
            body += row(names, parameter.schema, parameter.summary)
        }
        if let schema = route.body { body += "<p>Body: \(link(schema))</p>" }
        for answer in route.answers {
            let schema = answer.schema.map(link) ?? HTMLText.escape(answer.contentType)
            body += "<p>\(answer.status): \(schema)</p>"
        }
        return details(title, route.summary, note: route.access.note, body)
    }

    private func section(_ method: RPCInterface.Method) -> String {
        var body = ""
        for parameter in method.parameters { body += row(parameter.name, parameter.schema, parameter.summary) }
        body += "<p>Result: \(link(method.result))</p>"
        let name = HTMLText.escape(method.name)
        return details("<code>\(name)</code>", method.summary, note: method.access.note, body)
    }

    private func details(_ title: String, _ summary: String, note: String, _ body: String) -> String {
        "<details><summary>\(title) \(HTMLText.escape(summary)) <i>\(note)</i></summary>\(body)</details>\n"
    }

    private func row(_ name: String, _ schema: String, _ summary: String) -> String {
        "<p><code>\(HTMLText.escape(name))</code> \(HTMLText.escape(summary)) "
            + "<code>\(HTMLText.escape(schema))</code></p>"
    }

    private func link(_ name: SchemaName) -> String {
        let id = HTMLText.escape(name.rawValue)
        return "<a href=\"#\(id)\">\(id)</a>"
    }

    private static let style = InlineStyle(
        PageLook.style + """
            main{max-width:60rem;margin:0 auto;padding:2rem 1rem}
            details{background:var(--surface);border:1px solid var(--line);padding:.5rem .9rem}
            details+details{border-top:0}h2+details{border-radius:12px 12px 0 0}
            summary{cursor:pointer;min-height:1.6rem}
            details>p,details>pre{margin:.4rem 0 .4rem 1.2rem}
            code,pre{overflow-wrap:anywhere;white-space:pre-wrap}
            b{display:inline-block;min-width:4.5rem;font-weight:600}
            summary i{font-size:.82rem;border:1px solid var(--line);border-radius:99px;padding:.05rem .5rem}
            """
    )
}

extension RouteAccess {
    fileprivate var note: String {
        switch self {
        case .open: "open"
        case .authenticated: "any credential"
        case .needs(let capability): capability.rawValue
        case .either(let one, let other): "\(one.rawValue) or \(other.rawValue)"
        }
    }
}
