import Synchronization

@testable import HTTPClient
@testable import OAuth

/// An MCP server and its authorization server, in memory. It issues `access-N` and `refresh-N`, and each refresh token
/// counts once.
final class ScriptedIssuer: Sendable {
    struct State {
        var issued = 0
        /// The refresh tokens that count.
        var refreshable: Set<String> = []
        var revoked: [String] = []
        var refreshes = 0
        var registrations = 0
        /// Seconds for which access tokens count.
        var lifetime = 3600
        var givesRefreshTokens = true
        /// Answers of the token endpoint before the usual ones.
        var failures: [Int] = []
        var refusesNext = false
        var metadata: [String: String?] = [:]
        /// The forms that the token endpoint got.
        var forms: [String] = []
    }

    let state = Mutex(State())

    func answer(_ request: OutboundRequest) async -> OutboundResponse {
        let form = String(decoding: request.body, as: UTF8.self)
        // Others get their turn, so that callers overlap.
        for _ in 0..<20 { await Task.yield() }
        return state.withLock { state in
            switch request.location.description {
            case "https://tools.example/mcp": return reply(401, "", [("www-authenticate", "Bearer scope=\"read\"")])
            case "https://tools.example/.well-known/oauth-protected-resource/mcp":
                return reply(200, String(decoding: Sample.resource(), as: UTF8.self))
            case "https://login.example/.well-known/oauth-authorization-server":
                return reply(200, String(decoding: Sample.metadata(state.metadata), as: UTF8.self))
            case "https://login.example/register":
                state.registrations += 1
                return reply(201, #"{"client_id":"client-\#(state.registrations)","client_secret":"hush-secret"}"#)
            case "https://login.example/token":
                state.forms.append(form)
                return tokens(form, &state)
            case "https://login.example/revoke":
                state.revoked.append(form)
                return reply(200, "")
            default: return reply(404, "")
            }
        }
    }

    /// The next request for tokens fails for good.
    func refuseNext() { state.withLock { $0.refusesNext = true } }

    private func tokens(_ form: String, _ state: inout State) -> OutboundResponse {
        if !state.failures.isEmpty { return reply(state.failures.removeFirst(), "") }
        if state.refusesNext {
            state.refusesNext = false
            return reply(400, #"{"error":"invalid_client"}"#)
        }
        if let token = form.split(separator: "&").first(where: { $0.hasPrefix("refresh_token=") }) {
            state.refreshes += 1
            guard state.refreshable.remove(String(token.dropFirst("refresh_token=".count))) != nil else {
                return reply(400, #"{"error":"invalid_grant"}"#)
            }
        }
        state.issued += 1
        let refresh = "refresh-\(state.issued)"
        let extra = state.givesRefreshTokens ? #","refresh_token":"\#(refresh)""# : ""
        if state.givesRefreshTokens { state.refreshable.insert(refresh) }
        let life = #""token_type":"Bearer","expires_in":\#(state.lifetime)"#
        return reply(200, #"{"access_token":"access-\#(state.issued)",\#(life)\#(extra)}"#)
    }

    private func reply(_ status: Int, _ body: String, _ fields: [(name: String, value: String)] = [])
        -> OutboundResponse
    {
        let head = "HTTP/1.1 \(status) x\r\n" + fields.map { "\($0.name): \($0.value)\r\n" }.joined()
        return OutboundResponse(head: ResponseHead(Array(head.utf8)[...])!, body: Array(body.utf8))
    }
}
