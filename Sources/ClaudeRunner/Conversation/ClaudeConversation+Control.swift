internal import JSON

extension ClaudeConversation {
    /// A request of the client.
    mutating func receive(request line: JSONValue) -> [Action] {
        guard let id = line["request_id"]?.string else { return [] }
        let request = line["request"] ?? .null
        switch request["subtype"]?.string {
        case "can_use_tool", "elicitation":
            guard !prompts.contains(where: { $0.id == id }) else { return [] }
            let prompt = OpenPrompt(
                id: id,
                toolUseID: request["tool_use_id"]?.string,
                agentID: request["agent_id"]?.string,
                toolName: request["tool_name"]?.string ?? "",
                request: request
            )
            prompts.append(prompt)
            return [.emit(.promptOpened(prompt))]
        case let other:
            let reason = "Unsupported control request subtype: \(other ?? "")"
            return [.write(id: id, line: ClientLine.bytes(ClientLine.failure(request: id, reason)))]
        }
    }

    mutating func withdraw(_ id: String?) -> [Action] {
        guard let place = prompts.firstIndex(where: { $0.id == id }) else { return [] }
        return [.emit(.promptWithdrawn(id: prompts.remove(at: place).id))]
    }

    /// The answer to a request of this agent. One to an earlier agent is ignored.
    mutating func receive(response: JSONValue) -> [Action] {
        guard let id = response["request_id"]?.string, let request = requests.removeValue(forKey: id) else { return [] }
        let end = toolRequests.end(id)
        guard response["subtype"]?.string == "success" else {
            let reason = response["error"]?.string ?? "no reason given"
            return [.resolve(request: id, end?.reply(to: reason) ?? .failure(reason))]
        }
        let content = response["response"] ?? .null
        return apply(request, content, response) + [.resolve(request: id, .success(content))]
    }

    /// Takes a request back. The client answers it nevertheless.
    mutating func cancel(request id: String) -> [Action] {
        guard requests[id] != nil, !hasEnded else { return [] }
        toolRequests.cancel(id)
        return [.write(id: id, line: ClientLine.bytes(ClientLine.cancel(request: id)))]
    }

    private mutating func apply(_ request: ControlRequest, _ content: JSONValue, _ response: JSONValue) -> [Action] {
        switch request {
        case .initialize: return initialized(content, pending: response["pending_permission_requests"]?.array ?? [])
        case .setMode: return changed(mode: content["mode"]?.string)
        case .setModel: return changed(model: content["model"]?.string)
        case .interrupt: return cancelled(content["cancelled"]?.array?.compactMap(\.string) ?? [])
        case .cancelMessage(let message): return content["cancelled"]?.bool == true ? cancelled([message]) : []
        default: return []
        }
    }

    /// The client's answer to `initialize` says what it does and what it asks.
    private mutating func initialized(_ content: JSONValue, pending: [JSONValue]) -> [Action] {
        let isFirst = !isInitialized
        isInitialized = true
        callsTools = content["capabilities"]?.array?.contains(.string(ClaudeConversation.callsToolsWord)) ?? false
        // The skills of the person and of the project; the client's own come with the first turn.
        for command in content["commands"]?.array ?? [] where command["builtin"]?.bool != true {
            if let skill = ClaudeCommand(command) { add(skill) }
        }
        var actions = changed(mode: content["current_permission_mode"]?.string)
        if let state = content["session_state"]?.string {
            isInTurn = state != "idle"
            // The client has read all that was written to it before the request.
            if isFirst, state == "idle" { ledger.forgetUnfinished() }
        }
        let asked = Set(pending.compactMap { $0["request_id"]?.string })
        for prompt in prompts where !asked.contains(prompt.id) && !prompt.isElicitation && !isFirst {
            actions += withdraw(prompt.id)
        }
        for line in pending { actions += receive(request: line) }
        return actions + [.save]
    }

    private static let callsToolsWord = "mcp_call_check_permissions_v1"
}
