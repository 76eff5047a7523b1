internal import JSON

/// The MCP server of a chat's functions, which the client reaches by control requests, without any I/O. It lists the
/// functions, and holds each call until the caller's result is known.
struct FunctionServer {
    static let name = "client"
    static let prefix = "mcp__client__"

    private struct HeldCall {
        var request: String
        var number: JSONValue
    }

    let functions: [ChatFunction]
    /// The client's requests by the ids of the calls.
    private var held: [String: HeldCall] = [:]
    private var results: [String: JSONValue] = [:]

    init(_ functions: [ChatFunction]) {
        self.functions = functions
    }

    func has(_ name: String) -> Bool { functions.contains { $0.name == name } }

    /// A request of the client. Returns what is answered now.
    mutating func receive(_ id: String, _ request: JSONValue) -> [JSONValue] {
        guard request["subtype"]?.string == "mcp_message", request["server_name"]?.string == FunctionServer.name,
            !functions.isEmpty
        else { return [ClientLine.failure(request: id, "a chat has no tools and asks nobody")] }
        let message = request["message"] ?? .null
        let number = message["id"] ?? .integer(0)
        switch message["method"]?.string {
        case "initialize": return [reply(id, number, greeting(message["params"]))]
        case "tools/list": return [reply(id, number, .object([("tools", .array(functions.map(\.tool)))]))]
        case "tools/call": return call(id, number, message["params"] ?? .null)
        case let method?
        where method.hasPrefix("notifications/"): return [reply(id, number, .object([]))]
        default: return [fault(id, number)]
        }
    }

    private mutating func call(_ id: String, _ number: JSONValue, _ params: JSONValue) -> [JSONValue] {
        guard let call = params["_meta"]?["claudecode/toolUseId"]?.string else { return [fault(id, number)] }
        guard let result = results.removeValue(forKey: call) else {
            held[call] = HeldCall(request: id, number: number)
            return []
        }
        return [reply(id, number, .object([("content", result)]))]
    }

    /// Returns the answers to the calls that are held. The client asks for the others later.
    mutating func give(_ results: [String: JSONValue]) -> [JSONValue] {
        var lines: [JSONValue] = []
        for (call, result) in results.sorted(by: { $0.key < $1.key }) {
            if let waiting = held.removeValue(forKey: call) {
                lines.append(reply(waiting.request, waiting.number, .object([("content", result)])))
            } else {
                self.results[call] = result
            }
        }
        return lines
    }

    private func greeting(_ params: JSONValue?) -> JSONValue {
        .object([
            ("protocolVersion", params?["protocolVersion"] ?? .string("2025-06-18")),
            ("capabilities", .object([("tools", .object([]))])),
            ("serverInfo", .object([("name", .string(FunctionServer.name)), ("version", .string("1"))])),
        ])
    }

    private func reply(_ request: String, _ number: JSONValue, _ result: JSONValue) -> JSONValue {
        answer(request, number, ("result", result))
    }

    private func fault(_ request: String, _ number: JSONValue) -> JSONValue {
        let error: JSONValue = .object([("code", .integer(-32601)), ("message", .string("There is no such method."))])
        return answer(request, number, ("error", error))
    }

    private func answer(_ request: String, _ number: JSONValue, _ member: (String, JSONValue)) -> JSONValue {
        let message: JSONValue = .object([("jsonrpc", .string("2.0")), ("id", number), member])
        return ClientLine.success(request: request, .object([("mcp_response", message)]))
    }
}

extension ChatFunction {
    fileprivate var tool: JSONValue {
        .object(
            [("name", .string(name))] + (description.map { [("description", .string($0))] } ?? [])
                + [("inputSchema", parameters)]
        )
    }
}
