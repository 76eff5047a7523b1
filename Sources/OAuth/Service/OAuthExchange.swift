internal import EventModel
internal import HTTPClient

/// The requests of a login and of a refresh. Thin: what to ask and what the answers mean is decided by the pure parts.
struct OAuthExchange: Sendable {
    let ports: OAuthPorts

    /// Finds who issues the tokens of a server.
    func discover(_ server: HTTPLocation, _ rules: EndpointRules) async throws(OAuthFault) -> Discovery.Found {
        var discovery = Discovery(of: server, rules: rules)
        var action = try discovery.challenged(try await challenge(of: server))
        while true {
            switch action {
            case .done(let found): return found
            case .fetch(let place):
                if let document = try await document(at: place) {
                    action = try discovery.fetched(document)
                } else {
                    action = try discovery.missing()
                }
            }
        }
    }

    func register(_ description: ClientDescription, at endpoint: HTTPLocation) async throws(OAuthFault) -> OAuthClient {
        var request = OutboundRequest(.post, endpoint, body: description.registration)
        request.set("Content-Type", "application/json")
        request.set("Accept", "application/json")
        let answer = try await send(request)
        guard answer.head.status < 500 else { throw OAuthExchange.failed(answer.head.status) }
        return try ClientDescription.client(from: answer.head.status, answer.body)
    }

    func tokens(_ form: TokenForm, now: Timestamp) async throws(OAuthFault) -> TokenAnswer {
        let answer = try await send(form)
        return TokenAnswer(status: answer.head.status, answer.body, now: now)
    }

    /// Whether the server says that the token counts no more.
    func revoke(_ form: TokenForm) async -> Bool {
        let answer = try? await send(form)
        return answer.map { (200...299).contains($0.head.status) } ?? false
    }

    /// Has tokens revoked that were just issued, and that nobody keeps.
    func revoke(_ tokens: IssuedGrant, _ grant: TokenGrant) async {
        guard let endpoint = grant.revocationEndpoint else { return }
        for (kind, token) in [("refresh_token", tokens.refreshToken), ("access_token", tokens.accessToken)] {
            if let token { _ = await revoke(TokenForm(revoking: token, kind, at: endpoint, of: grant)) }
        }
    }

    private func send(_ form: TokenForm) async throws(OAuthFault) -> OutboundResponse {
        var request = OutboundRequest(.post, form.endpoint, body: form.body)
        request.set("Content-Type", "application/x-www-form-urlencoded")
        request.set("Accept", "application/json")
        if let authorization = form.authorization { request.set("Authorization", authorization) }
        return try await send(request)
    }

    /// What the server answers to a request without a token.
    private func challenge(of server: HTTPLocation) async throws(OAuthFault) -> BearerChallenge? {
        var request = OutboundRequest(.post, server, body: OAuthExchange.probe)
        request.set("Content-Type", "application/json")
        request.set("Accept", "application/json, text/event-stream")
        request.set("MCP-Protocol-Version", "2026-07-28")
        request.set("Mcp-Method", "server/discover")
        let answer = try await send(request)
        guard [401, 403].contains(answer.head.status) else { return nil }
        return BearerChallenge(answer.head.values("www-authenticate"))
    }

    /// Returns `nil` if there is none.
    private func document(at place: HTTPLocation) async throws(OAuthFault) -> [UInt8]? {
        var request = OutboundRequest(.get, place)
        request.set("Accept", "application/json")
        let answer = try await send(request)
        switch answer.head.status {
        case 200: return answer.body
        case 400...499: return nil
        default: throw OAuthExchange.failed(answer.head.status)
        }
    }

    private func send(_ request: OutboundRequest) async throws(OAuthFault) -> OutboundResponse {
        do throws(OutboundError) {
            return try await ports.send(request)
        } catch {
            throw OAuthFault(.unreachable, "\(request.location.origin): \(error)")
        }
    }

    private static func failed(_ status: Int) -> OAuthFault {
        OAuthFault(.unreachable, "the other server answers with status \(status)")
    }

    /// A request that every server of the current revision knows; older ones refuse it, which is as good.
    private static let probe = Array(
        """
        {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{\
        "io.modelcontextprotocol/protocolVersion":"2026-07-28",\
        "io.modelcontextprotocol/clientCapabilities":{}}}}
        """.utf8
    )
}
