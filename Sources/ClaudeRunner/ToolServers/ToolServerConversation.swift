internal import JSON

/// What is said to an MCP server over its standard input and output to learn its tools. Pure: a line of the server goes
/// in, and what is to be done comes out.
///
/// It begins with `initialize` of the revision 2025-11-25. A server that refuses it may speak the stateless revision
/// 2026-07-28, so the next request is `tools/list` without a handshake.
struct ToolServerConversation {
    enum Action: Equatable {
        case write(JSONValue)
        case listed(ToolList)
        case failed(String)
    }

    private enum Step { case greeting, listing, done }

    private static let version = "2025-11-25"
    private static let statelessVersion = "2026-07-28"

    private var step = Step.greeting
    private var isStateless = false
    private var list = ToolList()
    /// The id of the request that waits for its answer.
    private var requestID: Int64 = 0
    private var pages = 0

    mutating func begin() -> [Action] {
        let parameters = JSONValue.object([
            ("protocolVersion", .string(Self.version)), ("capabilities", .object([])), ("clientInfo", Self.client),
        ])
        return [request("initialize", parameters)]
    }

    mutating func receive(_ line: JSONValue) -> [Action] {
        guard step != .done, line.isObject else { return [] }
        if let method = line["method"]?.string { return asked(method, line["id"]) }
        guard let id = line["id"]?.integer, id == requestID else { return [] }
        switch step {
        case .greeting: return greeted(line)
        case .listing: return listed(line)
        case .done: return []
        }
    }

    /// A server may ask whether its client is there; nothing else is served.
    private func asked(_ method: String, _ id: JSONValue?) -> [Action] {
        guard let id, id != .null else { return [] }
        let head: [(String, JSONValue)] = [("jsonrpc", .string("2.0")), ("id", id)]
        if method == "ping" { return [.write(.object(head + [("result", .object([]))]))] }
        let error = JSONValue.object([("code", .integer(-32601)), ("message", .string("Method not found"))])
        return [.write(.object(head + [("error", error)]))]
    }

    private mutating func greeted(_ line: JSONValue) -> [Action] {
        step = .listing
        guard line["error"] == nil else {
            isStateless = true
            return [request("tools/list", parameters(cursor: nil))]
        }
        // A server without tools need not know `tools/list`.
        guard line["result"]?["capabilities"]?["tools"] != nil else { return finish() }
        let notice = JSONValue.object([
            ("jsonrpc", .string("2.0")), ("method", .string("notifications/initialized")),
        ])
        return [.write(notice), request("tools/list", parameters(cursor: nil))]
    }

    private mutating func listed(_ line: JSONValue) -> [Action] {
        guard let tools = line["result"]?["tools"]?.array else {
            step = .done
            return [.failed(line["error"]?["message"]?.string ?? "the server lists no tools")]
        }
        pages += 1
        for tool in tools { list.add(tool) }
        guard let cursor = line["result"]?["nextCursor"]?.string else { return finish() }
        guard pages < ToolList.mostPages, !list.isFull else {
            list.isComplete = false
            return finish()
        }
        return [request("tools/list", parameters(cursor: cursor))]
    }

    private mutating func finish() -> [Action] {
        step = .done
        return [.listed(list)]
    }

    private mutating func request(_ method: String, _ parameters: JSONValue) -> Action {
        requestID += 1
        return .write(
            .object([
                ("jsonrpc", .string("2.0")), ("id", .integer(requestID)), ("method", .string(method)),
                ("params", parameters),
            ])
        )
    }

    private func parameters(cursor: String?) -> JSONValue {
        var members: [(String, JSONValue)] = cursor.map { [("cursor", .string($0))] } ?? []
        if isStateless {
            let prefix = "io.modelcontextprotocol/"
            let meta: [(String, JSONValue)] = [
                (prefix + "protocolVersion", .string(Self.statelessVersion)), (prefix + "clientInfo", Self.client),
                (prefix + "clientCapabilities", .object([])),
            ]
            members.append(("_meta", .object(meta)))
        }
        return .object(members)
    }

    private static let client = JSONValue.object([("name", .string("monitor-agent")), ("version", .string("1"))])
}
