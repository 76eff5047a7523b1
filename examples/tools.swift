// Finds a tool for what a user wants to do, and runs it, by the tool router of a monitor server.
//
//     swiftc -parse-as-library examples/tools.swift -o tools
//     MONITOR_URL=http://127.0.0.1:8766 MONITOR_KEY=cma_... ./tools USER "what to do" '{"argument": 1}' [TOOLKIT...]
//
// The key is one with the capability `tools`. Without toolkits, all that the key may use are searched. The tool that
// fits best is run with the arguments. If its toolkit needs a login, the program prints the link for the user. If a
// person is asked before the tool runs, it waits for the answer.

import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Any JSON value.
enum Value: Codable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case list([Value])
    case object([String: Value])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([Value].self) {
            self = .list(value)
        } else {
            self = .object(try container.decode([String: Value].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .list(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    subscript(name: String) -> Value? { if case .object(let members) = self { members[name] } else { nil } }
    var list: [Value] { if case .list(let values) = self { values } else { [] } }
    var text: String? { if case .text(let text) = self { text } else { nil } }
}

struct ToolRouterSession: Codable {
    struct MCP: Codable {
        let type: String?
        let url: String
    }

    let sessionId: String
    let mcp: MCP?
    let toolRouterTools: [String]?
}

struct Tool: Codable {
    let slug: String
    let description: String
}

struct ToolRouterExecuteResponse: Codable {
    let data: [String: Value]
    let error: String?
    let logId: String
    /// `completed`, `failed`, `blocked` or `input_required`.
    let resultType: String
    /// With which the program goes on waiting while a person is asked.
    let requestState: String?

    enum CodingKeys: String, CodingKey {
        case data, error, logId
        case resultType = "result_type"
        case requestState = "request_state"
    }
}

struct ToolRouterLinkResponse: Codable {
    let connectedAccountId: String
    let linkToken: String
    let redirectUrl: String

    enum CodingKeys: String, CodingKey {
        case connectedAccountId = "connected_account_id"
        case linkToken = "link_token"
        case redirectUrl = "redirect_url"
    }
}

/// An answer with an error: the server's words.
struct Refused: Error, CustomStringConvertible {
    let status: Int
    let description: String
}

struct ToolRouterClient {
    let url: URL
    let key: String

    func createSession(for user: String, toolkits: [String]) async throws -> ToolRouterSession {
        var body: [String: Value] = ["user_id": .text(user)]
        if !toolkits.isEmpty { body["toolkits"] = .list(toolkits.map(Value.text)) }
        return try await send("POST", "tool_router/session", .object(body))
    }

    func fetchTools(in session: String) async throws -> [Tool] {
        struct Page: Codable { let items: [Tool] }
        let page: Page = try await send("GET", "tool_router/session/\(session)/tools")
        return page.items
    }

    func executeMeta(
        _ slug: String,
        in session: String,
        arguments: [String: Value]
    ) async throws -> ToolRouterExecuteResponse {
        let body = Value.object(["slug": .text(slug), "arguments": .object(arguments)])
        return try await send("POST", "tool_router/session/\(session)/execute_meta", body)
    }

    /// Runs a tool. While a person is asked whether it may run, waits on.
    func execute(
        _ slug: String,
        in session: String,
        arguments: [String: Value]
    ) async throws -> ToolRouterExecuteResponse {
        var body: [String: Value] = ["tool_slug": .text(slug), "arguments": .object(arguments)]
        while true {
            let path = "tool_router/session/\(session)/execute"
            let response: ToolRouterExecuteResponse = try await send("POST", path, .object(body))
            guard let state = response.requestState else { return response }
            body["request_state"] = .text(state)
            body["input_responses"] = .object(["approval": .object(["action": .text("accept")])])
        }
    }

    func createLink(for toolkit: String, in session: String) async throws -> ToolRouterLinkResponse {
        try await send("POST", "tool_router/session/\(session)/link", .object(["toolkit": .text(toolkit)]))
    }

    private func send<Answer: Decodable>(
        _ method: String,
        _ path: String,
        _ body: Value? = nil
    ) async throws -> Answer {
        var request = URLRequest(url: url.appendingPathComponent("api/v3.1/\(path)"), timeoutInterval: 700)
        request.httpMethod = method
        request.setValue(key, forHTTPHeaderField: "x-api-key")
        if let body {
            request.httpBody = try JSONEncoder().encode(body)
            request.setValue("application/json", forHTTPHeaderField: "content-type")
        }
        let (data, response) = try await URLSession.shared.data(for: request)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard (200..<300).contains(status) else {
            let message = try? JSONDecoder().decode(Value.self, from: data)["error"]?["message"]?.text
            throw Refused(status: status, description: message ?? "status \(status)")
        }
        return try JSONDecoder().decode(Answer.self, from: data)
    }
}

@main
struct Tools {
    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        let environment = ProcessInfo.processInfo.environment
        guard words.count >= 3, let key = environment["MONITOR_KEY"],
            let url = URL(string: environment["MONITOR_URL"] ?? "http://127.0.0.1:8766"),
            case .object(let arguments)? = try? JSONDecoder().decode(Value.self, from: Data(words[2].utf8))
        else {
            print("usage: MONITOR_KEY=cma_... tools USER \"what to do\" '{\"argument\": \"value\"}' [TOOLKIT...]")
            exit(64)
        }
        let router = ToolRouterClient(url: url, key: key)
        let session = try await router.createSession(for: words[0], toolkits: Array(words.dropFirst(3)))
        print("session", session.sessionId, session.mcp?.url ?? "")
        for tool in try await router.fetchTools(in: session.sessionId) { print("tool", tool.slug) }
        let query = Value.object(["use_case": .text(words[1])])
        let found = try await router.executeMeta(
            "COMPOSIO_SEARCH_TOOLS",
            in: session.sessionId,
            arguments: ["queries": .list([query])]
        )
        guard let result = found.data["results"]?.list.first, let slug = result["primary_tool_slugs"]?.list.first?.text
        else { return print("nothing found") }
        print("found", slug)
        for status in result["toolkit_connection_statuses"]?.list ?? [] {
            guard case .bool(false)? = status["has_active_connection"], let toolkit = status["toolkit"]?.text
            else { continue }
            let link = try await router.createLink(for: toolkit, in: session.sessionId)
            return print("open", link.redirectUrl)
        }
        let done = try await router.execute(slug, in: session.sessionId, arguments: arguments)
        let data = String(decoding: try JSONEncoder().encode(done.data), as: UTF8.self)
        print(done.resultType, done.error ?? data)
    }
}
