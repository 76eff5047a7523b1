package import JSON

extension ClaudeConversation {
    /// A line of the client. Anything unknown is ignored.
    package mutating func receive(_ line: JSONValue) -> [Action] {
        guard !hasEnded else { return [] }
        let actions: [Action] =
            switch line["type"]?.string {
            case "control_response": receive(response: line["response"] ?? .null)
            case "control_request": receive(request: line)
            case "control_cancel_request": withdraw(line["request_id"]?.string)
            case "command_lifecycle": receive(lifecycle: line)
            case "system": receive(system: line)
            case "stream_event": isOfMainConversation(line) ? began() + partials.receive(line).map(Action.emit) : []
            case "assistant": receive(assistant: line)
            case "result": receive(result: line)
            default: []
            }
        let parts = isOfMainConversation(line) ? told(answers.receive(line)) : []
        // Who learns of an answer's end finds the session idle.
        return actions + stateChange() + parts
    }

    /// Subagents run also between the turns.
    private func isOfMainConversation(_ line: JSONValue) -> Bool {
        line["parent_tool_use_id"]?.string == nil
    }

    private mutating func began() -> [Action] {
        isInTurn = true
        return []
    }

    private mutating func receive(assistant line: JSONValue) -> [Action] {
        guard isOfMainConversation(line), let message = line["message"] else { return [] }
        isInTurn = true
        return partials.receive(message: message).map(Action.emit)
    }

    private mutating func receive(lifecycle line: JSONValue) -> [Action] {
        guard let id = line["command_uuid"]?.string else { return [] }
        switch line["state"]?.string {
        case "started":
            isInTurn = true
            ledger.started(id)
            answers.started(id)
            return [.emit(.messages([id], .started))]
        case "completed":
            ledger.ended(id)
            let known = told(answers.over([id], .gone, "Claude Code knew the message, and did not answer it again."))
            return [.emit(.messages([id], .finished))] + known
        case "cancelled": return cancelled([id])
        default: return []
        }
    }

    /// A cancellation is told by the answer to the request and by a frame of its own.
    mutating func cancelled(_ ids: [String]) -> [Action] {
        let fresh = ids.filter { !ledger.isOurs($0) || ledger.unfinished.contains($0) }
        for id in fresh { ledger.ended(id) }
        let ended = told(answers.over(ids, .interrupted, "The message was cancelled."))
        return (fresh.isEmpty ? [] : [.emit(.messages(fresh, .cancelled))]) + ended
    }

    private mutating func receive(system line: JSONValue) -> [Action] {
        var actions: [Action] = []
        if line["subtype"]?.string == "init" {
            isInTurn = true
            for name in line["skills"]?.array?.compactMap(\.string) ?? [] { add(ClaudeCommand(name: name)) }
            actions += changed(session: line["session_id"]?.string)
            actions += changed(directory: line["cwd"]?.string)
            actions += changed(model: line["model"]?.string)
        }
        if line["subtype"]?.string == "background_tasks_changed" {
            tasks = Set(line["tasks"]?.array?.compactMap { $0["task_id"]?.string } ?? [])
        }
        if line["subtype"]?.string == "permission_denied" { toolRequests.denied(line) }
        return actions + changed(mode: line["permissionMode"]?.string)
    }

    private mutating func receive(result line: JSONValue) -> [Action] {
        if let loaded = loaded(line) { return loaded }
        if !isInitialized { startErrors += line["errors"]?.array?.compactMap(\.string) ?? [] }
        let ids =
            line["user_message_uuids"]?.array?.compactMap(\.string)
            ?? line["user_message_uuid"]?.string.map { [$0] } ?? []
        isInTurn = false
        var actions = changed(session: line["session_id"]?.string) + partials.close().map(Action.emit)
        let end = TurnEnd(
            subtype: line["subtype"]?.string ?? "",
            isError: line["is_error"]?.bool ?? false,
            terminalReason: line["terminal_reason"]?.string,
            apiErrorStatus: line["api_error_status"]?.integer,
            usage: line["usage"],
            totalCost: line["total_cost_usd"]?.double,
            messageIDs: ids,
            isOurs: ids.contains(where: ledger.isOurs),
            origin: line["origin"]?["kind"]?.string
        )
        // The end of a message is told by its own frame. Here is left what never got one.
        for id in ids where ledger.queue.contains(id) {
            ledger.ended(id)
            actions.append(.emit(.messages([id], .finished)))
        }
        return actions + [.save, .emit(.turnEnded(end))]
    }

    // MARK: - What the client says of itself

    mutating func changed(mode: String?) -> [Action] {
        guard let mode, mode != self.mode else { return [] }
        self.mode = mode
        return [.save, .emit(.modeChanged(mode))]
    }

    mutating func changed(model: String?) -> [Action] {
        guard let model, model != self.model else { return [] }
        self.model = model
        return [.save, .emit(.modelChanged(model))]
    }

    private mutating func changed(directory: String?) -> [Action] {
        guard let directory, directory != self.directory else { return [] }
        self.directory = directory
        return [.save, .emit(.directoryChanged(directory))]
    }

    /// `/clear` begins another session in the same client.
    private mutating func changed(session: String?) -> [Action] {
        guard let session, session != sessionID, isInitialized else { return [] }
        continues = sessionID
        sessionID = session
        return [.save, .emit(.continued(as: session))]
    }
}
