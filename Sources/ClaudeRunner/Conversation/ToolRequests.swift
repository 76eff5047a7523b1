internal import JSON

/// The calls of tools that the client was asked to make, and what its frames show of them. Pure.
///
/// The error by which the client answers a call may be a text of the MCP server. That the tool was not called is
/// believed only if a frame says so that no server can write: the client's report of a denial, or its request for
/// permission that was answered with a denial. Such a frame names the tool, not the call.
struct ToolRequests: Sendable {
    struct Call: Sendable {
        let name: String
        /// The answer to the client's request for permission was to make the call.
        var isAllowed = false
        /// Why the client did not make the call.
        var denial: String?
        var isCancelled = false
    }

    private var calls: [String: Call] = [:]

    private static let idPrefix = "toolu_mcp_call_"

    mutating func add(_ id: String, of tool: String) { calls[id] = Call(name: tool) }
    mutating func cancel(_ id: String) { calls[id]?.isCancelled = true }
    mutating func end(_ id: String) -> Call? { calls.removeValue(forKey: id) }
    mutating func forget(_ ids: [String]) { for id in ids { calls[id] = nil } }

    /// The client's report that its rules or its mode deny a call.
    mutating func denied(_ line: JSONValue) {
        guard ToolRequests.isOfCall(line["tool_use_id"]?.string), let name = line["tool_name"]?.string,
            let id = only(name), calls[id]?.isAllowed == false
        else { return }
        calls[id]?.denial = line["message"]?.string ?? "no reason given"
    }

    mutating func answered(_ prompt: OpenPrompt, _ reply: PromptReply) {
        guard prompt.isOfRequestedCall else { return }
        switch reply {
        case .allow:
            for (id, call) in calls where call.name == prompt.toolName { calls[id]?.isAllowed = true }
        case .deny(let message, _):
            if let id = only(prompt.toolName), calls[id]?.isAllowed == false { calls[id]?.denial = message }
        case .elicitation: break
        }
    }

    static func isOfCall(_ use: String?) -> Bool { use?.hasPrefix(idPrefix) ?? false }

    /// The call of this tool, if there is one only.
    private func only(_ name: String) -> String? {
        let found = calls.filter { $0.value.name == name }
        return found.count == 1 ? found.first?.key : nil
    }
}

extension ToolRequests.Call {
    /// What the client's error means.
    func reply(to reason: String) -> ControlReply {
        if let denial { return .denied(denial) }
        return isCancelled ? .noReply : .failure(reason)
    }
}
